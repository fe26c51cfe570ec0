package org.tamanoir.service.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.service.Output;
import org.tamanoir.service.Position;
import org.tamanoir.service.Run;
import org.tamanoir.service.RunHandler;
import org.tamanoir.service.Verdict;

/** A handler of runs is lent packets together, and may not go back on what it has settled. */
class RunsTest {
    private static final Verdict ODD = Verdict.drop("odd");

    /** Drops each second packet of a run, says how many there were behind the first, and goes back on it where there are three. */
    private static final class EachSecond implements RunHandler {
        private int alike;

        @Override
        public Map<String, Object> report() {
            return Map.of("alike", alike);
        }

        @Override
        public void onRun(Run run, Output out) {
            for (int i = 1; i < run.count(); i += 2) {
                run.verdict(i, ODD);
            }
            run.settle(0);
            alike += run.isUniform() ? run.count() : 0;
            out.emitPayload(out.allocator().buffer().writeBytes(String.valueOf(run.count()).getBytes(UTF_8)));
            if (run.count() == 3) {
                run.verdict(0, ODD);
            }
        }
    }

    private static List<byte[]> payloads(String... texts) {
        return Stream.of(texts).map(text -> text.getBytes(UTF_8)).toList();
    }

    private static List<String> texts(List<Packet> packets) {
        return packets.stream().map(packet -> packet.payload().toString(UTF_8)).toList();
    }

    @Test
    void runsAreLentTogether() throws Exception {
        try (ServiceHarness harness = ServiceHarness.start(stream -> new EachSecond(), Map.of()); StreamHarness stream = harness.open(Position.ONLY)) {
            assertThat(texts(stream.toDestinationTogether(payloads("a", "b", "c", "d")).onward())).containsExactly("a", "4", "c");
            Outcome one = stream.toDestination("e".getBytes(UTF_8));
            assertThat(one.verdict()).isSameAs(Verdict.PASS);
            assertThat(texts(one.onward())).containsExactly("e", "1");
            stream.toDestination(new PacketOptions().stream(1, 1), "f".getBytes(UTF_8));
            stream.toDestinationTogether(payloads("g", "hh"));
            assertThat(stream.report()).containsEntry("alike", 5);
            assertThat(texts(stream.toSourceTogether(payloads("x", "y")).onward())).containsExactly("x", "y");
            assertThatThrownBy(() -> stream.toDestinationTogether(payloads("a", "b", "c"))).isInstanceOf(ContractViolation.class).hasMessageContaining("has gone on");
        }
    }
}
