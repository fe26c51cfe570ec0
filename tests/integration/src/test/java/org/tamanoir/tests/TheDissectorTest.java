package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.DebianPackages;

/** The dissector for Wireshark. */
class TheDissectorTest {
    private static final Path FOLDER = Path.of("../../clients/wireshark").toAbsolutePath().normalize();

    /** A sweep: tshark is large, and starts slowly. */
    @Test
    @Tag("sweep")
    void tsharkShowsEveryFieldOfEveryVectorAndTheCodeOfWhatIsMalformed() {
        Command.Result result = Command.run(List.of(FOLDER.resolve("test").toString()), null, Duration.ofMinutes(12));
        assertThat(result.errors()).contains("Ran 9 tests").doesNotContain("skipped");
    }

    /** Wireshark 4.4 has another Lua than the tshark of Debian 12. Wrong: a number with a fraction, where the new one takes whole numbers alone. */
    @Test
    @Tag("long")
    void itDoesTheSameInBothVersionsOfLua() {
        if (Command.tryRun(List.of("sh", "-c", "command -v lua5.2 && command -v lua5.4"), null, Duration.ofMinutes(1)).exit() != 0) {
            DebianPackages.install(List.of("lua5.2", "lua5.4"));
        }
        Command.Result result = Command.run(List.of("env", "PYTHONDONTWRITEBYTECODE=1", "python3", "-m", "unittest", "discover", "-s", FOLDER.toString(), "-p", "test_lua.py"), null, Duration.ofMinutes(1));
        assertThat(result.errors()).contains("Ran 2 tests", "OK").doesNotContain("skipped");
    }
}
