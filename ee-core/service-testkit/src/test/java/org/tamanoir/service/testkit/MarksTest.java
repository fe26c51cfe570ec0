package org.tamanoir.service.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Output;
import org.tamanoir.service.Position;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Transport;
import org.tamanoir.service.Verdict;

/** The code points with which packets leave, the source that waits, and streams from and to where the test says. */
class MarksTest {
    /** Marks toward the destination with the first octet of the payload, and back with one more. */
    private static final ActiveService MARKS = stream -> new StreamHandler() {
        @Override
        public Verdict onPacket(Packet packet, Output out) {
            out.mark(packet.payload().getByte(packet.payload().readerIndex()));
            return Verdict.PASS;
        }

        @Override
        public Verdict onReturn(Packet packet, Output out) {
            out.emit(packet);
            out.mark(packet.payload().getByte(packet.payload().readerIndex()) + 1);
            return Verdict.PASS;
        }
    };

    @Test
    void aMarkIsOfOneDirectionAndStays() throws Exception {
        try (ServiceHarness harness = ServiceHarness.start(MARKS, Map.of()); StreamHarness stream = harness.open(Position.ONLY)) {
            assertThat(stream.markToDestination()).isEqualTo(-1);
            assertThat(stream.toDestination(new byte[] {46}).marks()).containsExactly(46);
            assertThat(stream.toSource(new byte[] {9}).marks()).containsExactly(-1, 10);
            assertThat(stream.markToDestination()).isEqualTo(46);
            assertThat(stream.markToSource()).isEqualTo(10);
            stream.context().execute((forward, back) -> {
                forward.emitPayload(forward.allocator().buffer().writeByte(1));
                forward.mark(-1);
                forward.emitPayload(forward.allocator().buffer().writeByte(2));
            });
            assertThat(stream.advance(Duration.ZERO).marksToDestination()).containsExactly(46, -1);
            assertThatThrownBy(() -> stream.toDestination(new byte[] {64})).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void onlyASourceOfTcpWaits() throws Exception {
        StreamContext[] opened = new StreamContext[1];
        ActiveService keeps = stream -> {
            opened[0] = stream;
            return (packet, out) -> Verdict.PASS;
        };
        try (ServiceHarness harness = ServiceHarness.start(keeps, Map.of())) {
            StreamHarness tcp = harness.open(Position.INGRESS);
            assertThat(opened[0].pauseSource(true)).isTrue();
            assertThat(tcp.isSourcePaused()).isTrue();
            opened[0].pauseSource(false);
            assertThat(tcp.isSourcePaused()).isFalse();
            InetSocketAddress from = new InetSocketAddress("192.0.2.1", 4_000);
            InetSocketAddress to = new InetSocketAddress("192.0.2.2", 5_000);
            StreamHarness udp = harness.stream(Position.INGRESS).transport(Transport.UDP).chain(0x5404, 0x5402).id(77).source(from)
                    .destination(to).open();
            assertThat(opened[0].pauseSource(true)).isFalse();
            assertThat(udp.isSourcePaused()).isFalse();
            assertThat(opened[0].chain()).containsExactly(0x5404, 0x5402);
            assertThat(opened[0].typeId()).isEqualTo(0x5404);
            assertThat(opened[0].id()).isEqualTo(77);
            assertThat(opened[0].source()).isEqualTo(from);
            assertThat(opened[0].destination()).isEqualTo(to);
            assertThat(opened[0].next()).isNotEqualTo(to);
            harness.open(Position.EGRESS, Transport.UDP, from, to, 0x5405);
            assertThat(opened[0].next()).isEqualTo(to);
            assertThat(opened[0].typeId()).isEqualTo(0x5405);
        }
    }
}
