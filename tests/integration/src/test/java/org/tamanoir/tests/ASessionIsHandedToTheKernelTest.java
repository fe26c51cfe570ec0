package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tamanoir.anep.Delivery;
import org.tamanoir.lab.Capture;
import org.tamanoir.lab.IpPacket;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.tests.services.HandsOver;

/**
 * A middle service looks at the first packets of a session and then puts a rule for it: the rest runs in the kernel, while the stream goes
 * on all the time, and each of its packets arrives once. A session that it has not handed over stays with its handler.
 */
@Tag("lab")
@Timeout(60)
class ASessionIsHandedToTheKernelTest {
    private static final int DATAGRAMS = 600;

    @Test
    void afterItsFirstPackets() throws Exception {
        try (LightLab lab = new LightLab(); Capture capture = Capture.at(lab.receiver())) {
            Path bundle = new ServiceBundle("hands-over", HandsOver.TYPE_ID, "middle", HandsOver.class)
                    .header("Import-Package", "org.tamanoir.service,org.tamanoir.service.rule,org.tamanoir.anep").in(lab.directory());
            try (LabRepository repository = new LabRepository(lab.host(), lab.directory().resolve("repository"), bundle);
                    UdpPeer sender = lab.peerAtSender(); UdpPeer other = lab.peerAtSender(); UdpPeer receiver = lab.peerAtReceiver()) {
                LabNode node = lab.node("repositories: ['" + repository.url() + "']\n").inKernel();
                // Streams that wait for a service lose what they cannot hold.
                other.send(datagram(receiver.port(), HandsOver.LIGHT + 1, 2, 0), lab.address());
                receiver.receive();
                for (int i = 0; i < DATAGRAMS; i++) {
                    sender.send(datagram(receiver.port(), HandsOver.LIGHT, 1, i), lab.address());
                    if (i % 20 == 0) {
                        other.send(datagram(receiver.port(), HandsOver.LIGHT + 1, 2, 1 + i / 20), lab.address());
                    }
                    Thread.sleep(2);
                }
                int others = 1 + DATAGRAMS / 20;
                List<IpPacket> arrived = capture.await(DATAGRAMS + others, LightLab.PATIENCE, packet -> packet.isTo(receiver.port()));
                assertThat(arrived).hasSize(DATAGRAMS + others);
                assertThat(arrived.stream().filter(packet -> stream(packet) == 1).mapToLong(ASessionIsHandedToTheKernelTest::sequence).sorted())
                        .as("none lost, none doubled").containsExactly(LongStream.range(0, DATAGRAMS).boxed().toArray(Long[]::new));
                assertThat(arrived.stream().filter(packet -> stream(packet) == 1 && packet.dscp() == 0).mapToLong(
                        ASessionIsHandedToTheKernelTest::sequence)).as("seen by the handler")
                        .containsExactlyInAnyOrder(LongStream.range(0, HandsOver.ENOUGH).boxed().toArray(Long[]::new));
                await().atMost(LightLab.PATIENCE).untilAsserted(() -> assertThat(node.rule("hands-over/seen").path("packets").asInt())
                        .isEqualTo(DATAGRAMS - HandsOver.ENOUGH));
                assertThat(node.done("forwarded")).as("carried by the kernel").isGreaterThan(DATAGRAMS / 2);
                assertThat(arrived.stream().filter(packet -> stream(packet) == 2 && packet.dscp() == 0)).as("the other session").hasSize(others);
            }
        }
    }

    private static byte[] datagram(int port, long session, long stream, long sequence) {
        return AnepPeer.opening(HandsOver.TYPE_ID, AnepPeer.to("10.0.2.2", port, Delivery.ANEP).stream(stream, sequence).hops(5)
                .qosSession(session));
    }

    private static org.tamanoir.anep.Packet packet(IpPacket ip) {
        return org.tamanoir.anep.Packet.of(io.netty.buffer.Unpooled.wrappedBuffer(ip.payload()));
    }

    private static long stream(IpPacket ip) {
        return packet(ip).streamId();
    }

    private static long sequence(IpPacket ip) {
        return packet(ip).sequence();
    }
}
