package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.ContentEncoding;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;

/** Whoever reaches the data port of a node, and is not among its peers, gains nothing by it that is not his: a node's process, sockets, hostile octets. */
@Tag("long")
class AStrangerOnTheDataPortTest {
    private static final int ANSWERS = 1000;

    @TempDir
    Path directory;
    private Grid grid;
    private NodeProgram node;

    @BeforeEach
    void start() throws IOException {
        grid = Grid.withRepository();
    }

    private NodeProgram node(String listen, String... more) throws IOException {
        Path file = Files.writeString(directory.resolve("node.yaml"), "listen: " + listen + "\npeers: []\nrepositories: [\"" + grid.repository().url()
                + "\"]\n" + String.join("\n", more) + "\n");
        node = new NodeProgram(directory.resolve("data"), "--config", file.toString());
        return node;
    }

    @AfterEach
    void stop() throws IOException {
        node.close();
        grid.close();
    }

    private InetSocketAddress at() {
        return new InetSocketAddress("127.0.0.1", node.address().getPort());
    }

    private long streamsOpened() {
        return node.admin().json("/status").path("streamsOpened").asLong();
    }

    private static byte[] opening(PacketOptions options, String payload) {
        return AnepPeer.packet(new PacketBuilder(Grid.FORWARD).flags(Anep.FLAG_DISCARD_UNKNOWN).options(options)
                .payload(Unpooled.wrappedBuffer(payload.getBytes())));
    }

    @Test
    void whatGoesBackIsThreeTimesWhatCameUntilTheCookieIsReturned() throws Exception {
        node("127.0.0.1:0", "routes: {127.0.0.0/8: direct}");
        try (DatagramSocket generous = new DatagramSocket(0, InetAddress.getLoopbackAddress()); UdpPeer sender = new UdpPeer(at())) {
            byte[] question = opening(AnepPeer.to(generous.getLocalPort(), Delivery.RAW), "?");
            sender.send(question);
            DatagramPacket asked = new DatagramPacket(new byte[2000], 2000);
            generous.receive(asked);
            Packet cookie = null;
            long came = 0;
            for (int i = 0; i < ANSWERS; i++) {
                generous.send(new DatagramPacket(new byte[20], 20, asked.getSocketAddress()));
                Thread.sleep(i % 50 == 0 ? 20 : 0);
            }
            while (!sender.isSilent(300)) {
                came += sender.last().length;
                Packet packet = Packet.of(Unpooled.wrappedBuffer(sender.last()));
                cookie = packet.typeId() == Anep.TYPE_CONTROL ? packet : cookie;
            }
            assertThat(came).as("octets to a source that has sent %d", question.length).isBetween(1L, question.length * 3L);
            assertThat(cookie).as("asked to show where it is").isNotNull();

            sender.send(AnepPeer.packet(new PacketBuilder(Anep.TYPE_CONTROL).flags(Anep.FLAG_DISCARD_UNKNOWN)
                    .options(new PacketOptions().stream(7, 0).cookie(cookie.cookie()))));
            Thread.sleep(100);
            for (int i = 0; i < 10; i++) {
                generous.send(new DatagramPacket(new byte[1200], 1200, asked.getSocketAddress()));
                assertThat(sender.receive().length).as("every answer").isGreaterThan(1200);
            }
        }
    }

    @Test
    void aNodeDoesNotTalkToItself() throws Exception {
        node("127.0.0.1:0", "routes: {127.0.0.0/8: direct}");
        byte[] loop = opening(AnepPeer.to(node.address().getPort(), Delivery.ANEP).hops(255), "");
        try (AnepPeer tcp = new AnepPeer(at()); UdpPeer udp = new UdpPeer(at())) {
            assertThat(tcp.send(loop).refusal()).isEqualTo(ErrorCode.FORBIDDEN_DESTINATION);
            assertThat(udp.send(loop).refusal()).isEqualTo(ErrorCode.FORBIDDEN_DESTINATION);
        }
        assertThat(streamsOpened()).isLessThanOrEqualTo(1);
    }

    @Test
    void noRouteLeadsToTheAdminApi() throws Exception {
        node("0.0.0.0:0", "routes: {0.0.0.0/0: direct, \"::/0\": direct}");
        int admin = node.admin().base().getPort();
        for (String address : new String[] {"127.0.0.1", "127.9.9.9", "0.0.0.0", "::1", "::ffff:127.0.0.1"}) {
            try (AnepPeer peer = new AnepPeer(at())) {
                peer.send(opening(AnepPeer.to(address, admin, Delivery.RAW), "PUT /routes HTTP/1.1\r\n"));
                assertThat(peer.refusal()).as(address).isEqualTo(ErrorCode.FORBIDDEN_DESTINATION);
            }
        }
    }

    /** A meter lets 1,000 octets pass; what calls itself an error is metered no less. */
    @Test
    void typeIdZeroPassesNoMeterBy() throws Exception {
        node("127.0.0.1:0", "routes: {127.0.0.0/8: direct}",
                "rules: [{name: little, match: {type: \"0x5401\"}, actions: [{police: {cir: 1000, cbs: 2000, ebs: 2000, red: drop}}]}]");
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()); AnepPeer peer = new AnepPeer(at())) {
            peer.send(opening(AnepPeer.to(server.getLocalPort(), Delivery.ANEP), ""));
            try (Socket arrived = server.accept()) {
                arrived.setSoTimeout(5000);
                for (int i = 0; i < 100; i++) {
                    try {
                        peer.send(AnepPeer.data(Anep.TYPE_ERROR, new byte[1000]));
                    } catch (SocketException e) {
                        break;
                    }
                }
                assertThat(peer.refusalAfterData()).isEqualTo(ErrorCode.MISPLACED_ERROR);
                assertThat(received(arrived)).isLessThan(2000);
            }
        }
    }

    @Test
    void anEncodedPayloadIsNotDeliveredAsIfItWerePlain() throws Exception {
        node("127.0.0.1:0", "routes: {127.0.0.0/8: direct}");
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()); AnepPeer peer = new AnepPeer(at())) {
            peer.send(opening(AnepPeer.to(server.getLocalPort(), Delivery.RAW), "plain"));
            peer.send(AnepPeer.packet(new PacketBuilder(Grid.FORWARD).options(new PacketOptions().contentEncoding(ContentEncoding.GZIP, 100))
                    .payload(Unpooled.wrappedBuffer(new byte[50]))));
            peer.finish();
            try (Socket arrived = server.accept()) {
                arrived.setSoTimeout(5000);
                assertThat(received(arrived)).as("a reset, and no good end").isEqualTo(-5);
            }
            assertThat(peer.refusal()).isEqualTo(ErrorCode.BAD_CONTENT);
        }
    }

    /** Octets until the end; less than zero if it was a reset. */
    private static int received(Socket from) throws IOException {
        int octets = 0;
        byte[] some = new byte[65536];
        try {
            for (int n = from.getInputStream().read(some); n > 0; n = from.getInputStream().read(some)) {
                octets += n;
            }
            return octets;
        } catch (SocketException e) {
            return -octets;
        }
    }
}
