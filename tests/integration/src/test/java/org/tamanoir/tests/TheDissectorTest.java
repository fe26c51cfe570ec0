package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.lab.Command;

/** The dissector for Wireshark. A sweep: tshark is large, and starts slowly. */
@Tag("sweep")
class TheDissectorTest {
    @Test
    void tsharkShowsEveryFieldOfEveryVectorAndTheCodeOfWhatIsMalformed() {
        Command.Result result = Command.run(List.of(Path.of("../../clients/wireshark/test").toString()), null, Duration.ofMinutes(12));
        assertThat(result.errors()).contains("Ran 6 tests").doesNotContain("skipped");
    }
}
