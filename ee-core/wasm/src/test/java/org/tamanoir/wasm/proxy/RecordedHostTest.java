package org.tamanoir.wasm.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tamanoir.service.testkit.Outcome;
import org.tamanoir.service.testkit.StreamHarness;

/**
 * The same filter for the same octets in another host: {@code recording.txt} is what the host emulator of the Go SDK of proxy-wasm wrote down
 * ({@code src/test/filters/go}). Here the filter is the one in C; with the one in Go itself it is {@code AFilterOfTheGoSdkTest}.
 */
class RecordedHostTest {
    @Test
    void aFilterIsCalledAndAnsweredAsInTheEmulatorOfItsSdk() throws Exception {
        try (TestFilter filter = TestFilter.of("tell", Map.of("configuration", "loud"))) {
            assertThat(record(filter)).isEqualTo(new String(TestFilter.module("recording.txt"), UTF_8));
        }
    }

    /** Runs the script and writes down what happens, in the form of the recording. */
    static String record(TestFilter filter) throws Exception {
        StringBuilder record = new StringBuilder("vm_start -> true\nconfigure -> true\n");
        say(record, filter.said());
        StreamHarness stream = null;
        for (String line : new String(TestFilter.module("script.txt"), UTF_8).strip().split("\n")) {
            String text = line.substring(line.indexOf(' ') + 1).replace("\\n", "\n");
            int action = 0;
            switch (line.split(" ")[0]) {
                case "open" -> {
                    stream = filter.open();
                    // The filter hears of a stream when something comes.
                    stream.toDestination(new byte[0]);
                }
                case "downstream" -> action = action(stream.toDestination(text.getBytes(UTF_8)));
                case "upstream" -> action = action(stream.toSource(text.getBytes(UTF_8)));
                default -> stream.close();
            }
            record.append(line).append(" -> ").append(action).append('\n');
            say(record, filter.said());
        }
        for (String metric : List.of("connections", "open")) {
            record.append("tell.").append(metric).append(' ').append((long) filter.harness().metrics().value("tell_" + metric)).append('\n');
        }
        return record.toString();
    }

    private static int action(Outcome outcome) {
        return outcome.onward().isEmpty() ? 1 : 0;
    }

    private static void say(StringBuilder record, List<String> said) {
        said.forEach(line -> record.append("  \"").append(line.replace("\n", "\\n")).append("\"\n"));
    }
}
