package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.ContentEncoding;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.node.Node;
import org.tamanoir.tests.services.Mischief;

/** Whoever does not read makes the other end wait: two nodes in between hold little, and in the end everything arrives. */
@Tag("long")
class ASlowReaderTest {
    private static final int PIECE = 60_000;
    private static final int PIECES = 3500;
    private static final long MOST = 64 << 20;

    /** Content that does not shrink, so that a service that compresses cannot make the test easy; each piece differs. */
    private static final byte[] NOISE = noise();

    private static byte[] noise() {
        byte[] noise = new byte[PIECE + 4096];
        new Random(5).nextBytes(noise);
        return noise;
    }

    private static byte[] piece(int number) {
        byte[] piece = Arrays.copyOfRange(NOISE, number % 4096, number % 4096 + PIECE);
        piece[0] = (byte) number;
        piece[1] = (byte) (number >> 8);
        return piece;
    }

    @ParameterizedTest
    @CsvSource({"21506, true, epoll", "21507, true, epoll", "21506, false, epoll", "21507, false, epoll", "21506, true, nio"})
    void holdsUpTheSenderAndLosesNothing(int service, boolean toDestination, String io) throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.idle()) {
            Node last = grid.node(configuration -> configuration.set("io", io));
            Node first = grid.nodeTo(last);
            NodeView view = new NodeView(first);
            try (AnepPeer peer = new AnepPeer(first.address())) {
                peer.send(AnepPeer.opening(service, AnepPeer.to(server.port(), Delivery.RAW))).send(AnepPeer.data(service, piece(0)));
                Socket destination = server.next();
                new DataInputStream(destination.getInputStream()).readFully(new byte[PIECE]);
                AtomicLong sent = new AtomicLong();
                CompletableFuture<Void> sending = Grid.async(() -> offer(toDestination ? peer : null, destination, service, sent));
                await().pollInterval(Duration.ofMillis(400)).until(new Standstill(sent)::reached);
                assertThat(sent.get()).as("octets that the sender got rid of").isLessThan((long) PIECES * PIECE);
                assertThat(view.directMemory() - grid.directMemoryBefore()).as("direct memory of both nodes").isLessThan(MOST);
                if (toDestination) {
                    check(destination.getInputStream());
                } else {
                    check(new Payloads(peer));
                }
                sending.join();
            }
        }
    }

    /** Many small packets, each emitted by itself: what waits takes about the memory that it is counted with. */
    @ParameterizedTest
    @CsvSource({"RAW, middle", "ANEP, middle", "RAW, heavy"})
    void costsLittleAlsoWhenPacketsAreSmall(Delivery delivery, String level) throws Exception {
        int service = 0x5500;
        try (Grid grid = Grid.withRepository(); TcpServer server = new TcpServer(ASlowReaderTest::readsNothing)) {
            grid.push(new ServiceBundle("packet-emits-a-thousand", service, level, Mischief.class).in(grid.directory()));
            Node node = grid.node(configuration -> configuration.set("limits.service-timeout", "5s"));
            NodeView view = new NodeView(node);
            try (AnepPeer peer = new AnepPeer(node.address())) {
                peer.send(AnepPeer.opening(service, AnepPeer.to(server.port(), delivery)));
                CompletableFuture<Void> filling = Grid.async(() -> fill(peer, service));
                await().until(() -> view.streams().stream().anyMatch(stream -> stream.path("paused").asBoolean()));
                assertThat(view.directMemory() - grid.directMemoryBefore()).as("direct memory").isLessThan(MOST);
                peer.socket().close();
                filling.join();
            }
        }
    }

    /** A hundred octets that become sixty thousand, thousands of times: the service makes no more than finds room, and loses nothing. */
    @Test
    void costsLittleAlsoWhenMuchIsMadeOfLittle() throws Exception {
        int count = 4000;
        ByteArrayOutputStream bombs = new ByteArrayOutputStream();
        byte[] bomb = AnepPeer.packet(new PacketBuilder(Grid.COMPRESSION).payload(Unpooled.wrappedBuffer(zipped(new byte[PIECE])))
                .options(new PacketOptions().contentEncoding(ContentEncoding.GZIP, PIECE)));
        for (int i = 0; i < count; i++) {
            bombs.write(bomb);
        }
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.idle()) {
            Node node = grid.node();
            NodeView view = new NodeView(node);
            try (SteadyStream steady = new SteadyStream(node); AnepPeer peer = new AnepPeer(node.address())) {
                peer.send(AnepPeer.opening(Grid.COMPRESSION, AnepPeer.to(server.port(), Delivery.RAW)
                        .previousNode(new PacketOptions.PreviousNode(1, 0)).hops(5))).send(bombs.toByteArray()).finish();
                Socket destination = server.next();
                for (int i = 0; i < 8; i++) {
                    Thread.sleep(250);
                    assertThat(view.directMemory() - grid.directMemoryBefore()).as("direct memory").isLessThan(MOST);
                }
                steady.undisturbed();
                long octets = 0;
                byte[] into = new byte[1 << 20];
                for (int got = 0; got >= 0; got = destination.getInputStream().read(into)) {
                    octets += got;
                }
                assertThat(octets).isEqualTo((long) count * PIECE);
            }
        }
    }

    private static byte[] zipped(byte[] content) throws IOException {
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(zipped)) {
            out.write(content);
        }
        return zipped.toByteArray();
    }

    private static void readsNothing(Socket socket) throws IOException {
        socket.setReceiveBufferSize(4096);
    }

    /** Sends until the peer is closed; slowly, because each packet becomes a thousand. */
    private static void fill(AnepPeer peer, int service) {
        byte[] small = AnepPeer.data(service, new byte[400]);
        try {
            while (true) {
                peer.send(small);
                Thread.sleep(250);
            }
        } catch (IOException e) {
            // Closed: enough.
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Whether a number has stopped growing. */
    private static final class Standstill {
        private final AtomicLong number;
        private long seen = -1;
        private int still;

        Standstill(AtomicLong number) {
            this.number = number;
        }

        boolean reached() {
            still = number.get() == seen && seen > 0 ? still + 1 : 0;
            seen = number.get();
            return still >= 2;
        }
    }

    private static void offer(AnepPeer peer, Socket destination, int service, AtomicLong sent) {
        try {
            OutputStream out = destination.getOutputStream();
            for (int i = 0; i < PIECES; i++) {
                if (peer != null) {
                    peer.send(AnepPeer.data(service, piece(i)));
                } else {
                    out.write(piece(i));
                }
                sent.addAndGet(PIECE);
            }
            if (peer != null) {
                peer.finish();
            } else {
                destination.shutdownOutput();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void check(InputStream in) throws IOException {
        for (int i = 0; i < PIECES; i++) {
            assertThat(Arrays.equals(in.readNBytes(PIECE), piece(i))).as("piece %d", i).isTrue();
        }
        assertThat(in.read()).as("the end").isEqualTo(-1);
    }

    /** The payloads of the packets that a peer gets, as one stream of octets. */
    private static final class Payloads extends InputStream {
        private final AnepPeer peer;
        private byte[] octets = {};
        private int at;

        Payloads(AnepPeer peer) {
            this.peer = peer;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            while (at == octets.length) {
                Packet packet = peer.receive();
                if (packet == null) {
                    return -1;
                }
                assertThat(packet.typeId()).as("%s", packet.options().error()).isNotEqualTo(Anep.TYPE_ERROR);
                octets = new byte[packet.payloadLength()];
                packet.payload().readBytes(octets);
                at = 0;
            }
            int count = Math.min(length, octets.length - at);
            System.arraycopy(octets, at, into, offset, count);
            at += count;
            return count;
        }
    }
}
