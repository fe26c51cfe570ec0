package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.Delivery;
import org.tamanoir.lab.Capture;
import org.tamanoir.lab.IpPacket;

/**
 * A stream to the port of light TCP streams: the kernel forwards its connection with a code point, or the node carries it where the kernel
 * is not used. Either way every octet arrives, half-close travels, and a receiver that does not read stops the sender.
 */
@Tag("lab")
@Timeout(120)
class ALightConnectionTest {
    private static final int DSCP = 46;
    private static final int PACKETS = 300;
    private static final int PAYLOAD = 60_000;
    /** Far more than the buffers of both ends and of a node hold. */
    private static final long BLOCKED = 256L << 20;
    private static final String LIGHT = """
            light: {listen: '0.0.0.0:3323', connections: [
              {name: other, source: 10.77.0.0/16, to: '10.0.2.2:9'},
              {name: one, source: 10.0.0.0/16, to: '10.0.2.2:7000', dscp: 46}]}
            """;

    @ParameterizedTest
    @ValueSource(strings = {"auto", "off"})
    void carriesEveryOctetWithItsCodePoint(String use) throws Exception {
        boolean kernel = use.equals("auto");
        try (LightLab lab = new LightLab()) {
            LabNode node = lab.node("kernel: {use: " + use + "}\n" + LIGHT);
            if (kernel) {
                node.inKernel();
            }
            assertThat(lab.host().run("nft", "list", "ruleset").output().contains("table inet tamanoir_3322")).isEqualTo(kernel);
            try (ServerSocket server = lab.receiver().inside(() -> new ServerSocket(7000, 5, lab.far().second().ipv4()))) {
                long octets;
                try (Capture capture = Capture.at(lab.receiver())) {
                    octets = transfer(lab, server);
                    List<IpPacket> packets = capture.packets(packet -> packet.protocol() == IpPacket.TCP && packet.destination().getPort() == 7000);
                    assertThat(packets).as("packets at the receiver").isNotEmpty();
                    long marked = packets.stream().filter(packet -> packet.dscp() == DSCP).count();
                    // The node can only mark a connection that it has.
                    assertThat(packets.size() - marked).as("packets without the code point").isLessThanOrEqualTo(kernel ? 0 : 2);
                }
                assertThat(node.metric("tamanoir_light_connections_total{connection=\"one\"}")).isEqualTo(1);
                assertThat(node.metric("tamanoir_light_connections_total{connection=\"other\"}")).isZero();
                assertThat(node.metric("tamanoir_light_bytes_total{connection=\"one\",direction=\"to\"}")).isBetween(octets, octets * 11 / 10);
                assertThat(node.metric("tamanoir_light_bytes_total{connection=\"one\",direction=\"back\"}")).isPositive();
                assertThat(node.status().path("streamsOpened").asInt()).as("streams of the node itself").isEqualTo(kernel ? 0 : 1);
                aReceiverThatDoesNotReadStopsTheSender(lab, server);
            }
        }
    }

    /** Half-close: the answer comes after the end of what was sent, and says what came. */
    private static long transfer(LightLab lab, ServerSocket server) throws Exception {
        CompletableFuture<Void> served = Grid.async(() -> {
            try (Socket accepted = server.accept()) {
                MessageDigest digest = sha256();
                DataInputStream in = new DataInputStream(accepted.getInputStream());
                // The first packet is the node's to change.
                readPacket(in);
                for (byte[] packet = readPacket(in); packet != null; packet = readPacket(in)) {
                    digest.update(packet);
                }
                accepted.getOutputStream().write(AnepPeer.data(Grid.FORWARD, digest.digest()));
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        MessageDigest digest = sha256();
        long octets = 0;
        try (Socket socket = connect(lab)) {
            byte[] first = AnepPeer.opening(Grid.FORWARD, AnepPeer.to("10.0.2.2", 7000, Delivery.ANEP).hops(9));
            OutputStream out = socket.getOutputStream();
            Random random = new Random(4);
            byte[] payload = new byte[PAYLOAD];
            for (int i = 0; i < PACKETS; i++) {
                random.nextBytes(payload);
                byte[] packet = i == 0 ? first : AnepPeer.data(Grid.FORWARD, payload);
                if (i > 0) {
                    digest.update(packet);
                }
                out.write(packet);
                octets += packet.length;
            }
            socket.shutdownOutput();
            byte[] answer = socket.getInputStream().readAllBytes();
            served.get(10, TimeUnit.SECONDS);
            assertThat(HexFormat.of().formatHex(Arrays.copyOfRange(answer, 8, answer.length))).as("what came")
                    .isEqualTo(HexFormat.of().formatHex(digest.digest()));
        }
        return octets;
    }

    /** A packet, or null at the end of the stream. */
    private static byte[] readPacket(DataInputStream in) throws IOException {
        byte[] header = in.readNBytes(8);
        if (header.length == 0) {
            return null;
        }
        byte[] packet = Arrays.copyOf(header, (header[6] & 0xFF) << 8 | header[7] & 0xFF);
        in.readFully(packet, 8, packet.length - 8);
        return packet;
    }

    private static void aReceiverThatDoesNotReadStopsTheSender(LightLab lab, ServerSocket server) throws Exception {
        AtomicLong written = new AtomicLong();
        byte[] packet = AnepPeer.data(Grid.FORWARD, new byte[PAYLOAD]);
        try (Socket socket = connect(lab)) {
            byte[] first = AnepPeer.opening(Grid.FORWARD, AnepPeer.to("10.0.2.2", 7000, Delivery.ANEP).hops(9));
            CompletableFuture<Void> writing = Grid.async(() -> {
                try {
                    socket.getOutputStream().write(first);
                    for (long sent = 0; sent < BLOCKED; sent += packet.length) {
                        socket.getOutputStream().write(packet);
                        written.addAndGet(packet.length);
                    }
                } catch (IOException e) {
                    // The test is over.
                }
            });
            try (Socket accepted = server.accept()) {
                long before = -1;
                while (before != written.get()) {
                    before = written.get();
                    Thread.sleep(500);
                }
                assertThat(before).as("octets taken from a sender whose receiver does not read").isLessThan(BLOCKED / 4);
                assertThat(writing).isNotDone();
                accepted.getInputStream().skipNBytes(before);
                long blocked = before;
                await().atMost(LightLab.PATIENCE).untilAsserted(() -> assertThat(written.get()).as("it goes on").isGreaterThan(blocked));
            }
            Sockets.cut(socket);
            writing.get(10, TimeUnit.SECONDS);
        }
    }

    private static Socket connect(LightLab lab) throws Exception {
        return lab.sender().inside(() -> {
            Socket socket = new Socket();
            socket.setSoTimeout(20_000);
            socket.connect(new InetSocketAddress(lab.near().second().ipv4(), 3323), 5000);
            return socket;
        });
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
