package org.tamanoir.services.election;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.service.Position;
import org.tamanoir.service.testkit.ServiceHarness;
import org.tamanoir.service.testkit.StreamHarness;

/** The service around the agreement: what programs are told, and what is said to others. */
class ElectionTest {
    private ServiceHarness harness;

    @BeforeEach
    void start() throws Exception {
        harness = ServiceHarness.of(new Election(), Map.of("members", "10.0.0.1:3322, 10.0.0.2:3322, 10.0.0.3:3322", "self", "10.0.0.1:3322")).start();
    }

    @AfterEach
    void close() {
        harness.close();
    }

    private StreamHarness program() throws Exception {
        return harness.stream(Position.ONLY).endsHere().open();
    }

    private static List<String> answers(StreamHarness program, Duration time) throws Exception {
        return program.advance(time).toSource().stream().map(packet -> packet.payload().toString(UTF_8)).toList();
    }

    @Test
    void whoGivesUpWhatHeStillWaitsForIsToldAndMayAskAgain() throws Exception {
        StreamHarness program = program();
        program.toDestination("{\"group\":\"g\",\"holder\":\"ada\",\"lease\":1000}\n".getBytes(UTF_8));
        assertThat(answers(program, Duration.ofMillis(1))).as("nobody answers yet").isEmpty();
        program.toDestination("{\"group\":\"g\",\"holder\":\"ada\",\"release\":true}\n".getBytes(UTF_8));
        assertThat(answers(program, Duration.ofMillis(1))).containsExactly("{\"group\":\"g\",\"holder\":null,\"error\":\"EE-204 the wish was given up: the group was released meanwhile\"}\n",
                "{\"group\":\"g\",\"released\":true}\n");
        program.toDestination("{\"group\":\"g\",\"holder\":\"ada\",\"lease\":1000}\n".getBytes(UTF_8));
        assertThat(answers(program, Duration.ofSeconds(4))).containsExactly("{\"group\":\"g\",\"holder\":null,\"error\":\"EE-204 no majority of the members answers\"}\n");
    }

    @Test
    void aNodeWhoseDiskFailsSaysNothing() throws Exception {
        harness.failStore(true);
        StreamHarness program = program();
        for (String group : List.of("one", "two")) {
            program().toDestination(("{\"group\":\"" + group + "\",\"holder\":\"ada\",\"lease\":1000}\n").getBytes(UTF_8));
            program.advance(Duration.ofMillis(600));
        }
        assertThat(harness.connections().all()).as("no bound is on the disk, and so there is no ballot").isEmpty();
        harness.failStore(false);
        program.advance(Duration.ofMillis(600));
        assertThat(harness.connections().all()).hasSize(2);
    }
}
