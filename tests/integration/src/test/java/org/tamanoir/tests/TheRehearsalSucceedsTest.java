package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher makes the class archive of a rehearsal; where a part of it fails, commands would begin slowly and nobody would know why. */
@Tag("sweep")
class TheRehearsalSucceedsTest {
    @Test
    void saysNothingAndLeavesNothing(@TempDir Path directory) throws Exception {
        Path services = Files.createDirectory(directory.resolve("services"));
        for (String service : new String[] {"forward", "monitoring", "compression"}) {
            Files.copy(Grid.bundle(service), services.resolve(service + ".jar"));
        }
        Path temporary = Files.createDirectory(directory.resolve("tmp"));
        File output = directory.resolve("output").toFile();
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Djava.io.tmpdir=" + temporary,
                "-XX:+IgnoreUnrecognizedVMOptions", "--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED", "-cp",
                System.getProperty("java.class.path"), "org.tamanoir.cli.Rehearsal", services.toString())
                .redirectErrorStream(true).redirectOutput(output).start();
        try {
            assertThat(process.waitFor(90, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as(Files.readString(output.toPath())).isZero();
            // On a busy machine a server may warn of something slow; what failed has a stack or a code.
            assertThat(output).content().doesNotContain("Exception", "EE-");
            assertThat(temporary).isEmptyDirectory();
        } finally {
            process.destroyForcibly();
        }
    }
}
