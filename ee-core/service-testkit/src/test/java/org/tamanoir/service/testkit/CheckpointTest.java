package org.tamanoir.service.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.CheckpointedHandler;
import org.tamanoir.service.Output;
import org.tamanoir.service.Position;
import org.tamanoir.service.Verdict;

class CheckpointTest {
    /** Counts, and keeps the last packet until the next one. */
    private static final class Counting implements CheckpointedHandler {
        private int packets;
        private int returned;
        private Packet kept;

        @Override
        public Verdict onPacket(Packet packet, Output out) {
            packets++;
            letGo(out);
            kept = packet.retain();
            return Verdict.TAKEN;
        }

        @Override
        public Verdict onReturn(Packet packet, Output out) {
            returned++;
            return Verdict.PASS;
        }

        private void letGo(Output out) {
            if (kept != null) {
                out.emit(kept);
                kept.release();
                kept = null;
            }
        }

        @Override
        public byte[] checkpoint(Output out) {
            letGo(out);
            return new byte[packets];
        }

        @Override
        public byte[] checkpointReturn(Output out) {
            return new byte[] {(byte) returned};
        }

        @Override
        public void restore(byte[] state) {
            packets = state.length;
        }

        @Override
        public void restoreReturn(byte[] state) {
            returned = state[0];
        }

        @Override
        public void close() {
            if (kept != null) {
                kept.release();
            }
        }
    }

    @Test
    void aStreamGoesOnWhereItsCheckpointsAre() throws Exception {
        try (ServiceHarness harness = ServiceHarness.of(stream -> new Counting(), Map.of()); StreamHarness first = harness.open(Position.ONLY); StreamHarness second = harness.open(Position.ONLY)) {
            first.toDestination(new byte[10]);
            first.toDestination(new byte[20]);
            first.toSource(new byte[1]);
            Checkpoint there = first.checkpoint();
            assertThat(there.before()).singleElement().satisfies(packet -> assertThat(packet.payloadLength()).isEqualTo(20));
            Checkpoint back = first.checkpointReturn();
            second.restore(there, back);
            second.toDestination(new byte[30]);
            assertThat(second.checkpoint().state()).hasSize(3);
            assertThat(second.checkpointReturn().state()).containsExactly(1);
        }
    }

    @Test
    void whatANodeWouldRefuseIsAViolation() throws Exception {
        try (ServiceHarness harness = ServiceHarness.of(stream -> (packet, out) -> Verdict.PASS, Map.of()); StreamHarness stream = harness.open(Position.ONLY)) {
            assertThatThrownBy(stream::checkpoint).isInstanceOf(ContractViolation.class);
        }
        try (ServiceHarness harness = ServiceHarness.of(stream -> new Counting(), Map.of()); StreamHarness stream = harness.open(Position.ONLY)) {
            stream.restore(new Checkpoint(new byte[60_001], List.of()), new Checkpoint(new byte[0], List.of()));
            assertThatThrownBy(stream::checkpoint).isInstanceOf(ContractViolation.class).hasMessageContaining("60001");
        }
    }
}
