package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cli.ExitCode;
import org.tamanoir.http.HttpError;

/** Every code that a message may carry is explained in docs/errors.md, and nothing else is. */
@Tag("rules")
class ErrorsAreDocumentedTest {
    private static final Path PAGE = Path.of("../../docs/errors.md");
    private static final Pattern HEADING = Pattern.compile("### (EE-\\d{3}) (.+)");
    private static final Pattern ROW = Pattern.compile("\\| \\[(EE-\\d{3})]\\(#([^)]+)\\) \\| ([^|]+) \\| (\\d) \\| (\\d{3}) \\|");

    /** The text below each heading, by the heading. */
    private static final Map<String, String> SECTIONS = new LinkedHashMap<>();
    private static List<String> lines;

    @BeforeAll
    static void readThePage() throws IOException {
        lines = Files.readAllLines(PAGE);
        String heading = null;
        for (String line : lines) {
            if (line.startsWith("#")) {
                heading = HEADING.matcher(line).matches() ? line.substring(4) : null;
                if (heading != null) {
                    assertThat(SECTIONS.put(heading, "")).as("%s stands twice", heading).isNull();
                }
            } else if (heading != null) {
                SECTIONS.merge(heading, line + "\n", String::concat);
            }
        }
    }

    @Test
    void everyCodeHasASectionUnderItsOwnNameAndEverySectionACode() {
        assertThat(SECTIONS.keySet()).containsExactly(Arrays.stream(ErrorCode.values()).map(ErrorsAreDocumentedTest::heading)
                .toArray(String[]::new));
    }

    @ParameterizedTest
    @EnumSource(ErrorCode.class)
    void aSectionSaysWhatHappenedWhatItCostWhoSeesItAndWhatToDo(ErrorCode code) {
        assertThat(SECTIONS.get(heading(code))).containsSubsequence("\n- **Cost:** ", "\n- **Seen by:** ", "\n- **Do:** ");
        assertThat(SECTIONS.get(heading(code)).strip()).as("what happened stands first").doesNotStartWith("-");
    }

    @Test
    void theTableHasTheExitCodeAndTheHttpStatusThatTheProgramUses() {
        List<String> rows = lines.stream().map(ROW::matcher).filter(Matcher::matches).map(Matcher::group).toList();
        assertThat(rows).containsExactly(Arrays.stream(ErrorCode.values()).map(code -> String.format("| [%s](#%s) | %s | %d | %d |", code,
                heading(code).toLowerCase(Locale.ROOT).replace(' ', '-'), words(code), ExitCode.of(code), HttpError.statusOf(code)))
                .toArray(String[]::new));
    }

    private static String heading(ErrorCode code) {
        return code + " " + words(code);
    }

    /** {@code BAD_VERSION} is written {@code bad version}. */
    private static String words(ErrorCode code) {
        return code.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
