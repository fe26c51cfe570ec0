package org.tamanoir.wasm.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What is compiled does what is interpreted. The second compiler of Java up to 17 has compared numbers without a sign wrongly (JDK-8376400), so
 * programs run under it, each function compiled after a few calls, in a process of their own.
 */
@Tag("seeded")
class DifferentialTest {
    @ParameterizedTest
    @Tag("long")
    @ValueSource(longs = 20261127)
    void whatIsCompiledDoesWhatIsInterpreted(long seed) {
        assertThat(Differential.compare(seed, 60, 20)).isGreaterThan(500);
    }

    @ParameterizedTest
    @CsvSource({"17, 7", "25, 7"})
    @Tag("long")
    void alsoUnderTheSecondCompiler(int java, long seed) throws Exception {
        assertThat(underTheSecondCompiler(java, seed, 6, 300)).isGreaterThan(500);
    }

    @ParameterizedTest
    @CsvSource({"17, 1000000", "25, 1000000"})
    @Tag("sweep")
    void alsoForLong(int java, long seed) throws Exception {
        assertThat(underTheSecondCompiler(java, seed, 1000, 400)).isGreaterThan(100_000);
    }

    private static long underTheSecondCompiler(int java, long seed, int modules, int calls) throws Exception {
        Path home = home(java);
        assumeTrue(home != null, "there is no Java " + java + " here");
        Path output = Files.createTempFile("differential", ".text");
        Process process = new ProcessBuilder(List.of(home.resolve("bin/java").toString(), "-Xmx512m", "-XX:CompileThresholdScaling=0.05",
                "-cp", System.getProperty("java.class.path"), Differential.class.getName(), String.valueOf(seed), String.valueOf(modules), String.valueOf(calls)))
                .redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            assertThat(process.waitFor(30, TimeUnit.MINUTES)).isTrue();
            String text = Files.readString(output, StandardCharsets.UTF_8);
            assertThat(process.exitValue()).as(text).isZero();
            String last = text.strip().lines().reduce((first, second) -> second).orElseThrow();
            assertThat(last).endsWith(" calls agree");
            return Long.parseLong(last.substring(0, last.indexOf(' ')));
        } finally {
            process.destroyForcibly();
            Files.delete(output);
        }
    }

    private static Path home(int version) throws Exception {
        if (Runtime.version().feature() == version) {
            return Path.of(System.getProperty("java.home"));
        }
        Path all = Path.of("/usr/lib/jvm");
        if (!Files.isDirectory(all)) {
            return null;
        }
        try (Stream<Path> homes = Files.list(all)) {
            return homes.filter(home -> home.getFileName().toString().contains("-" + version + "-") && Files.isExecutable(home.resolve("bin/java"))).findFirst().orElse(null);
        }
    }
}
