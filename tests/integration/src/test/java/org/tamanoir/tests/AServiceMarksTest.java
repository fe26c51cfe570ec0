package org.tamanoir.tests;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.lab.Capture;
import org.tamanoir.lab.IpPacket;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.tests.services.Means;

/** The code points that a service sets, as they stand on the wire: on TCP and UDP, both ways, in front of a rule's, and for nobody else. */
@Tag("lab")
@Timeout(120)
class AServiceMarksTest {
    private static final int MARKS = 0x5500;
    private static final int EF = 46;
    private static final int AF11 = 10;
    private static final int LE = 1;
    private static final String RULE = "kernel: {use: off}\nrules: [{name: af13, match: {type: 0x5500}, actions: [count, {dscp: 14}]}]\n";
    private static final int AF13 = 14;

    @Test
    void standsOnTheWire() throws Exception {
        try (LightLab lab = new LightLab()) {
            Path bundle = new ServiceBundle("marks", MARKS, "middle", Means.class).in(lab.directory());
            try (LabRepository repository = new LabRepository(lab.host(), lab.directory().resolve("repository"), bundle, Grid.bundle("forward"))) {
                LabNode node = lab.node(RULE + "repositories: ['" + repository.url() + "']\n");
                fetched(lab, node);
                datagrams(lab);
                connections(lab);
                markedByATask(lab, Delivery.RAW);
                markedByATask(lab, Delivery.ANEP);
            }
        }
    }

    private static byte[] datagram(LightLab lab, int type, long stream, int port, String word) {
        PacketOptions options = AnepPeer.to(lab.far().second().ipv4().getHostAddress(), port, Delivery.ANEP).stream(stream, 0);
        return AnepPeer.packet(new PacketBuilder(type).flags(Anep.FLAG_DISCARD_UNKNOWN).options(options)
                .payload(Unpooled.wrappedBuffer(word.getBytes(US_ASCII))));
    }

    private static byte[] answer(int type, long stream, String word) {
        return AnepPeer.packet(new PacketBuilder(type).options(new PacketOptions().stream(stream, 0))
                .payload(Unpooled.wrappedBuffer(word.getBytes(US_ASCII))));
    }

    /** Both services are there before their packets are looked at. */
    private static void fetched(LightLab lab, LabNode node) throws Exception {
        try (UdpPeer sender = lab.peerAtSender(); UdpPeer receiver = lab.peerAtReceiver()) {
            for (int type : new int[] {MARKS, Grid.FORWARD}) {
                sender.send(datagram(lab, type, type, receiver.port(), "first"), lab.address());
            }
            await().atMost(LightLab.PATIENCE).until(() -> node.get("/streams").toString().split("flowing").length == 3);
        }
    }

    private static boolean has(IpPacket packet, String word) {
        return new String(packet.payload(), ISO_8859_1).contains(word);
    }

    private static int dscp(Capture capture, String word) throws InterruptedException {
        List<IpPacket> found = capture.await(1, Duration.ofSeconds(10), packet -> has(packet, word));
        assertThat(found).extracting(packet -> packet.trafficClass() >> 2).as("of %s", word).containsOnly(found.get(0).trafficClass() >> 2);
        return found.get(0).trafficClass() >> 2;
    }

    private static void datagrams(LightLab lab) throws Exception {
        try (UdpPeer first = lab.peerAtSender(); UdpPeer second = lab.peerAtSender(); UdpPeer receiver = lab.peerAtReceiver();
                Capture far = Capture.at(lab.receiver()); Capture near = Capture.at(lab.sender())) {
            first.send(datagram(lab, MARKS, 1, receiver.port(), "u-plain"), lab.address());
            receiver.receive();
            first.send(datagram(lab, MARKS, 1, receiver.port(), EF + " u-ef"), lab.address());
            receiver.receive();
            // The services of these streams mark nothing, and the socket toward the sources is one for all streams.
            second.send(datagram(lab, Grid.FORWARD, 2, receiver.port(), "u-other"), lab.address());
            receiver.receive();
            receiver.send(answer(Grid.FORWARD, 2, "r-other-before"));
            second.receive();
            first.send(datagram(lab, MARKS, 1, receiver.port(), "u-still"), lab.address());
            receiver.receive();
            receiver.send(answer(MARKS, 1, AF11 + " r-af11"));
            first.receive();
            receiver.send(answer(MARKS, 1, "r-still"));
            first.receive();
            second.send(datagram(lab, Grid.FORWARD, 2, receiver.port(), "u-again"), lab.address());
            receiver.receive();
            receiver.send(answer(Grid.FORWARD, 2, "r-other-behind"));
            second.receive();
            first.send(datagram(lab, MARKS, 1, receiver.port(), "-1 u-left"), lab.address());
            receiver.receive();
            first.send(datagram(lab, MARKS, 1, receiver.port(), "0 u-zero"), lab.address());
            receiver.receive();
            assertThat(dscp(far, "u-plain")).as("the rule's").isEqualTo(AF13);
            assertThat(dscp(far, "u-ef")).isEqualTo(EF);
            assertThat(dscp(far, "u-other")).isZero();
            assertThat(dscp(far, "u-still")).isEqualTo(EF);
            assertThat(dscp(far, "u-left")).as("the rule's again").isEqualTo(AF13);
            assertThat(dscp(far, "u-zero")).as("none, whatever the rule says").isZero();
            assertThat(dscp(near, "r-other-before")).isZero();
            assertThat(dscp(near, "r-af11")).isEqualTo(AF11);
            assertThat(dscp(near, "r-still")).isEqualTo(AF11);
            assertThat(dscp(near, "r-other-behind")).isZero();
        }
    }

    private static void connections(LightLab lab) throws Exception {
        try (ServerSocket server = lab.receiver().inside(() -> new ServerSocket(7005, 5, lab.far().second().ipv4()));
                Capture far = Capture.at(lab.receiver()); Capture near = Capture.at(lab.sender());
                Socket source = lab.sender().inside(() -> new Socket(lab.near().second().ipv4(), LightLab.PORT))) {
            source.setTcpNoDelay(true);
            source.getOutputStream().write(AnepPeer.opening(MARKS, AnepPeer.to(lab.far().second().ipv4().getHostAddress(), 7005, Delivery.RAW)));
            try (Socket destination = server.accept()) {
                destination.setTcpNoDelay(true);
                for (String word : List.of("t-plain", EF + " t-ef", "t-still", "-1 t-rule", LE + " t-le")) {
                    source.getOutputStream().write(AnepPeer.data(MARKS, word.getBytes(US_ASCII)));
                    assertThat(new String(destination.getInputStream().readNBytes(word.length()), US_ASCII)).isEqualTo(word);
                }
                destination.getOutputStream().write((AF11 + " b-af11").getBytes(US_ASCII));
                assertThat(source.getInputStream().read()).isNotNegative();
                assertThat(dscp(far, "t-plain")).as("the rule's").isEqualTo(AF13);
                assertThat(dscp(far, "t-ef")).isEqualTo(EF);
                assertThat(dscp(far, "t-still")).isEqualTo(EF);
                assertThat(dscp(far, "t-rule")).as("the rule's again").isEqualTo(AF13);
                assertThat(dscp(far, "t-le")).isEqualTo(LE);
                assertThat(dscp(near, "b-af11")).isEqualTo(AF11);
            }
        }
    }

    /** What a task sets is the connection's at once: acknowledgements have it, though nothing is sent. */
    private static void markedByATask(LightLab lab, Delivery delivery) throws Exception {
        try (ServerSocket server = lab.receiver().inside(() -> new ServerSocket(7006, 5, lab.far().second().ipv4()));
                Capture far = Capture.at(lab.receiver());
                Socket source = lab.sender().inside(() -> new Socket(lab.near().second().ipv4(), LightLab.PORT))) {
            source.setTcpNoDelay(true);
            source.getOutputStream().write(AnepPeer.opening(MARKS, AnepPeer.to(lab.far().second().ipv4().getHostAddress(), 7006, delivery)));
            try (Socket destination = server.accept()) {
                source.getOutputStream().write(AnepPeer.data(MARKS, (LE + " t-before").getBytes(US_ASCII)));
                readTo(destination, "t-before");
                source.getOutputStream().write(AnepPeer.data(MARKS, (EF + " soon t-task").getBytes(US_ASCII)));
                readTo(destination, "t-task");
                assertThat(dscp(far, "t-task")).isEqualTo(LE);
                far.clear();
                byte[] back = delivery == Delivery.RAW ? new byte[] {'x'} : AnepPeer.data(MARKS, new byte[] {'x'});
                await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
                    destination.getOutputStream().write(back);
                    assertThat(source.getInputStream().read()).isNotNegative();
                    assertThat(far.packets(packet -> packet.protocol() == IpPacket.TCP && packet.destination().getPort() == destination.getLocalPort()))
                            .extracting(IpPacket::dscp).contains(EF);
                });
            }
        }
    }

    private static void readTo(Socket destination, String word) throws IOException {
        StringBuilder read = new StringBuilder();
        while (read.indexOf(word) < 0) {
            int octet = destination.getInputStream().read();
            assertThat(octet).as("after %s", read).isNotNegative();
            read.append((char) octet);
        }
    }
}
