package org.tamanoir.tuf.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.tuf.testing.Oracle;

/** Patterns have the paths that they have in python-tuf. */
@Tag("seeded")
class PathPatternTest {
    private static final String CHARACTERS = "ab-]![*?/.é";

    @TempDir
    private Path directory;

    @Test
    void matchAsInPython() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<List<String>> pairs = new ArrayList<>();
        List<String> ours = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            String pattern = text(random, CHARACTERS, 7);
            String path = text(random, "ab-]!/.", 5);
            pairs.add(List.of(pattern, path));
            ours.add(String.valueOf(new PathPattern(pattern).matches(path)));
        }
        try (Oracle oracle = new Oracle(directory)) {
            List<String> theirs = oracle.matches(pairs);
            for (int i = 0; i < pairs.size(); i++) {
                assertThat(ours.get(i)).as("%s, seed %d", pairs.get(i), seed).isEqualTo(theirs.get(i));
            }
        }
    }

    private static String text(Random random, String of, int most) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(most + 1); i > 0; i--) {
            text.append(of.charAt(random.nextInt(of.length())));
        }
        return text.toString();
    }

    @ParameterizedTest
    @CsvSource({"meter/*, meter/1.0.0.jar, true", "meter/*, meter/1/0.jar, false", "meter/*, meters/1.jar, false", "meter/*, METER/1.jar, false", "*, meter/1.jar, false",
        "*/*, meter/1.jar, true", "meter/?.jar, meter/1.jar, true", "meter/[0-9].jar, meter/7.jar, true", "meter/[!0-9].jar, meter/7.jar, false", "meter/*, meter/, true",
        "meter/*, /meter/1.jar, false", "a*b*c, aXbXbXc, true", "m/[, m/[, true"})
    void haveNoSlashInAStar(String pattern, String path, boolean matches) {
        assertThat(new PathPattern(pattern).matches(path)).isEqualTo(matches);
    }

    @Test
    void takeNoTimeThatGrowsWithEachStar() {
        String stars = "a*".repeat(500) + "b";
        Assertions.assertTimeoutPreemptively(Duration.ofSeconds(5), () -> assertThat(new PathPattern(stars).matches("a".repeat(20_000))).isFalse());
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> new PathPattern("a".repeat(1_025))).withMessageStartingWith("EE-420");
    }
}
