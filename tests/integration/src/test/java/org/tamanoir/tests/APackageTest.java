package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tamanoir.lab.Command;

/** The package of Debian, in a fresh system with systemd as its first process: {@code tests/package} says step by step what is tried. */
@Tag("lab")
@Tag("sweep")
class APackageTest {
    private static final Duration PATIENCE = Duration.ofMinutes(30);

    /** Wrong: a unit that does not run in its sandbox, one that is started before it serves, a stream that an upgrade cuts, and anything that is left behind. */
    @Test
    @Timeout(1900)
    void isInstalledUpgradedUnderAnOpenStreamAndPurged() {
        Command.Result result = Command.tryRun(List.of("bash", Path.of("../../tests/package").toString()), null, PATIENCE);
        assertThat(result.exit()).as("%s%n%s", result.output(), result.errors()).isZero();
        assertThat(result.output()).contains("(the file is the same)", "(the stream that was open arrived whole)", "(nothing is left)");
    }
}
