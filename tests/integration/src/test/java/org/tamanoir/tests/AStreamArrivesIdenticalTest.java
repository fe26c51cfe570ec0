package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Packet;
import org.tamanoir.node.Node;

/** What goes in at one end comes out at the other, in both directions, whatever the services, sizes and delivery. */
@Tag("long")
class AStreamArrivesIdenticalTest {
    @ParameterizedTest
    @CsvSource({"1, 21505, ''", "1, 21506, ''", "2, 21506, 21507", "2, 21507, ''", "2, 21507, 21506", "3, 21506, 21507"})
    void anEchoServerBehindSomeNodesGivesBackEveryOctet(int nodes, int typeId, String further) throws Exception {
        int[] chain = further.isEmpty() ? new int[0] : new int[] {Integer.parseInt(further)};
        try (Grid grid = Grid.withRepository(); ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Node node = grid.node();
            for (int i = 1; i < nodes; i++) {
                node = grid.nodeTo(node);
            }
            CompletableFuture<Void> echo = Grid.async(() -> echo(server));
            byte[] sent = halfCompressible(8 << 20);
            byte[] received = new byte[sent.length];
            try (AnepPeer peer = new AnepPeer(node.address())) {
                CompletableFuture<Void> sending = Grid.async(() -> send(peer, typeId, server.getLocalPort(), chain, sent));
                int at = 0;
                for (Packet packet = peer.receive(); packet != null; packet = peer.receive()) {
                    assertThat(packet.typeId()).as("an error packet: %s", packet.options().error()).isNotEqualTo(Anep.TYPE_ERROR);
                    packet.payload().readBytes(received, at, packet.payloadLength());
                    at += packet.payloadLength();
                }
                sending.join();
                assertThat(at).isEqualTo(sent.length);
                assertThat(Arrays.equals(received, sent)).isTrue();
            }
            echo.join();
        }
    }

    /** Payloads of all sizes, also none, in packets that are cut at any octet. */
    private static void send(AnepPeer peer, int typeId, int port, int[] chain, byte[] content) {
        Random random = new Random(1);
        try {
            peer.send(AnepPeer.opening(typeId, AnepPeer.to(port, Delivery.RAW, chain)));
            for (int at = 0; at < content.length;) {
                int length = Math.min(random.nextInt(10) == 0 ? random.nextInt(Anep.MAX_PAYLOAD + 1) : random.nextInt(3000), content.length - at);
                peer.send(AnepPeer.data(typeId, Arrays.copyOfRange(content, at, at + length)));
                at += length;
            }
            peer.finish();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void echo(ServerSocket server) {
        try (Socket socket = server.accept(); InputStream in = socket.getInputStream(); OutputStream out = socket.getOutputStream()) {
            in.transferTo(out);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] halfCompressible(int size) {
        byte[] content = new byte[size];
        Random random = new Random(2);
        for (int at = 0; at < size; at += 64 * 1024) {
            byte[] piece = new byte[Math.min(64 * 1024, size - at)];
            if (random.nextBoolean()) {
                random.nextBytes(piece);
            } else {
                Arrays.fill(piece, (byte) random.nextInt());
            }
            System.arraycopy(piece, 0, content, at, piece.length);
        }
        return content;
    }
}
