package org.tamanoir.tests;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.node.Node;
import org.tamanoir.tests.services.Clockwork;
import org.tamanoir.tests.services.Mischief;

/** What a service does between packets: on time, in order, on the stream's own thread, within bounds, and never for a stream that is gone. */
@Tag("long")
class ATimedServiceTest {
    private static final int TYPE = 0x5500;
    /** For which a service may hold its event loop. */
    private static final int SERVICE_MILLIS = 500;
    private static final long MOST = 64 << 20;

    private static Node node(Grid grid, String name, String level) {
        grid.push(new ServiceBundle(name, TYPE, level, Clockwork.class).classes(Mischief.class).in(grid.directory()));
        return grid.node(configuration -> configuration.set("limits.service-timeout", SERVICE_MILLIS + "ms"));
    }

    private static byte[] word(String word) {
        return AnepPeer.data(TYPE, word.getBytes(US_ASCII));
    }

    /** The next words of a stream, packet by packet. */
    private static List<String> words(Source source, int count) throws IOException {
        List<String> words = new ArrayList<>();
        while (words.size() < count) {
            Packet packet = source.next();
            assertThat(packet.typeId()).as("%s", packet.options().error()).isNotEqualTo(Anep.TYPE_ERROR);
            if (packet.payloadLength() > 0) {
                words.add(packet.payload().toString(US_ASCII));
            }
        }
        return words;
    }

    private interface Source {
        Packet next() throws IOException;
    }

    @ParameterizedTest
    @ValueSource(strings = {"middle", "heavy"})
    void actsOnTimeInOrderAndOnTheThreadOfItsStream(String level) throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.idle()) {
            Node node = node(grid, "ticks", level);
            try (AnepPeer peer = new AnepPeer(node.address())) {
                peer.send(AnepPeer.opening(TYPE, AnepPeer.to(server.port(), Delivery.RAW)));
                DataInputStream in = new DataInputStream(server.next().getInputStream());
                for (String word : List.of("one", "two", "three")) {
                    peer.send(word(word));
                    String expected = word + "later " + word + "then " + word;
                    assertThat(new String(in.readNBytes(expected.length()), US_ASCII)).isEqualTo(expected);
                    assertThat(words(peer::receive, 1)).containsExactly("answer " + word);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"middle", "heavy"})
    void actsOnTimeForDatagramsToo(String level) throws Exception {
        try (Grid grid = Grid.withRepository(); UdpPeer destination = new UdpPeer()) {
            Node node = node(grid, "ticks", level);
            try (UdpPeer peer = new UdpPeer(node.address())) {
                for (String word : List.of("one", "two", "three")) {
                    peer.send(AnepPeer.packet(new PacketBuilder(TYPE).flags(Anep.FLAG_DISCARD_UNKNOWN)
                            .options(AnepPeer.to(destination.port(), Delivery.ANEP)).payload(Unpooled.wrappedBuffer(word.getBytes(US_ASCII)))));
                    assertThat(words(destination::receivePacket, 3)).containsExactly(word, "later " + word, "then " + word);
                    assertThat(words(peer::receivePacket, 1)).containsExactly("answer " + word);
                }
            }
        }
    }

    /** What four streams bring leaves by the first of them; each packet either leaves or is given back, and those of a stream keep their order. */
    @ParameterizedTest
    @ValueSource(strings = {"middle", "heavy"})
    void joinsStreams(String level) throws Exception {
        int each = 3000;
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.idle()) {
            Node node = node(grid, "joins", level);
            NodeView view = new NodeView(node);
            List<AnepPeer> peers = new ArrayList<>();
            List<Socket> destinations = new ArrayList<>();
            try {
                for (int i = 0; i < 4; i++) {
                    peers.add(new AnepPeer(node.address()).send(AnepPeer.opening(TYPE, AnepPeer.to(server.port(), Delivery.RAW))));
                    destinations.add(server.next());
                }
                List<CompletableFuture<Void>> sending = new ArrayList<>();
                for (int i = 0; i < peers.size(); i++) {
                    int number = i;
                    sending.add(Grid.async(() -> count(peers.get(number), number, each)));
                }
                sending.forEach(CompletableFuture::join);
                await().until(() -> ran(view, "joins") + discarded(view, "joins") == 4.0 * each);
                assertThat(ran(view, "joins")).as("that left, of %d", 4 * each).isGreaterThan(1024);
                check(destinations.get(0), (int) ran(view, "joins"));
                double before = ran(view, "joins");
                peers.get(0).close();
                destinations.get(0).close();
                view.awaitStreams(3);
                count(peers.get(1), 1, 10);
                await().until(() -> ran(view, "joins") + discarded(view, "joins") == 4.0 * each + 10);
                assertThat(ran(view, "joins")).as("after the first stream has gone").isEqualTo(before);
                view.awaitStreams(3);
            } finally {
                for (AnepPeer peer : peers) {
                    peer.close();
                }
            }
        }
    }

    private static void count(AnepPeer peer, int number, int until) {
        try {
            for (int i = 0; i < until; i++) {
                peer.send(AnepPeer.data(TYPE, ByteBuffer.allocate(8).putInt(number).putInt(i).array()));
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** So many numbers have come, and those of each stream grow. */
    private static void check(Socket socket, int count) throws IOException {
        socket.setSoTimeout(5000);
        DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        int[] last = {-1, -1, -1, -1};
        for (int i = 0; i < count; i++) {
            int stream = in.readInt();
            int number = in.readInt();
            assertThat(number).as("behind %d of stream %d", last[stream], stream).isGreaterThan(last[stream]);
            last[stream] = number;
        }
        assertThat(in.available()).isZero();
    }

    private static double ran(NodeView view, String name) {
        return view.total("tamanoir_" + name + "_ran_total");
    }

    private static double discarded(NodeView view, String name) {
        return view.total("tamanoir_" + name + "_discarded_total");
    }

    /** A timer that looks whether there is room holds itself up; what it has made arrives whole when the destination reads again. */
    @ParameterizedTest
    @ValueSource(strings = {"middle", "heavy"})
    void waitsForASlowReader(String level) throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.idle()) {
            Node node = node(grid, "fills", level);
            NodeView view = new NodeView(node);
            try (AnepPeer peer = new AnepPeer(node.address())) {
                peer.send(AnepPeer.opening(TYPE, AnepPeer.to(server.port(), Delivery.RAW)));
                Socket destination = server.next();
                double made = standstill(view, "fills");
                assertThat(view.directMemory() - grid.directMemoryBefore()).as("direct memory").isLessThan(MOST);
                DataInputStream in = new DataInputStream(destination.getInputStream());
                byte[] piece = new byte[Clockwork.PIECE];
                for (int i = 0; i < made + 100; i++) {
                    in.readFully(piece);
                    assertThat(ByteBuffer.wrap(piece).getInt()).isEqualTo(i);
                }
            }
        }
    }

    private static double standstill(NodeView view, String name) throws InterruptedException {
        for (double before = -1, now = ran(view, name), tries = 0; tries < 100; before = now, now = ran(view, name), tries++) {
            if (now == before && now > 0) {
                return now;
            }
            Thread.sleep(300);
        }
        throw new AssertionError(name + " does not stop");
    }

    /** One that does not look is ended before it fills the memory; a heavy one is made to wait, because its thread can be. */
    @ParameterizedTest
    @CsvSource({"middle, true", "heavy, false"})
    void isStoppedWhenItEmitsOnAndOnWithoutRoom(String level, boolean ends) throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.idle()) {
            Node node = node(grid, "floods", level);
            NodeView view = new NodeView(node);
            try (SteadyStream steady = new SteadyStream(node); AnepPeer peer = new AnepPeer(node.address())) {
                peer.send(AnepPeer.opening(TYPE, AnepPeer.to(server.port(), Delivery.RAW)));
                server.next();
                if (ends) {
                    assertThat(peer.refusal()).isEqualTo(ErrorCode.SERVICE_BAD_OUTPUT);
                    view.awaitStreams(1);
                } else {
                    standstill(view, "floods");
                }
                assertThat(view.directMemory() - grid.directMemoryBefore()).as("direct memory").isLessThan(MOST);
                steady.undisturbed(SERVICE_MILLIS);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"loops, middle, SERVICE_TIMEOUT", "loops, heavy, SERVICE_TIMEOUT", "throws, middle, SERVICE_ERROR",
        "throws, heavy, SERVICE_ERROR", "too-many, middle, SERVICE_LIMIT"})
    void costsItsOwnStreamOnlyWhenATaskGoesWrong(String name, String level, ErrorCode code) throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.echo()) {
            Node node = node(grid, name, level);
            NodeView view = new NodeView(node);
            try (SteadyStream steady = new SteadyStream(node)) {
                for (int i = 1; i <= 2; i++) {
                    try (AnepPeer peer = new AnepPeer(node.address())) {
                        peer.send(AnepPeer.opening(TYPE, AnepPeer.to(server.port(), Delivery.RAW))).send(word("go"));
                        assertThat(peer.refusalAfterData()).isEqualTo(code);
                    }
                    view.awaitErrors(code, i);
                }
                view.awaitStreams(1);
                assertThat(view.health().path("status").asText()).isEqualTo("ok");
                steady.undisturbed(SERVICE_MILLIS);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"middle", "heavy"})
    void isCancelledWithItsStream(String level) throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.echo()) {
            Node node = node(grid, "waits", level);
            NodeView view = new NodeView(node);
            for (int i = 0; i < 20; i++) {
                try (AnepPeer peer = new AnepPeer(node.address())) {
                    peer.send(AnepPeer.opening(TYPE, AnepPeer.to(server.port(), Delivery.RAW))).send(word("wait")).finish();
                    assertThat(words(peer::receive, 1)).containsExactly("wait");
                    assertThat(peer.receive()).isNull();
                }
            }
            await().until(() -> discarded(view, "waits") == 20);
            Thread.sleep(400);
            assertThat(ran(view, "waits")).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({"middle, RAW", "heavy, RAW", "middle, ANEP"})
    void maySendWhatItOwesAfterItsSourceHasFinished(String level, Delivery delivery) throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.idle()) {
            Node node = node(grid, "owes", level);
            try (AnepPeer peer = new AnepPeer(node.address())) {
                peer.send(AnepPeer.opening(TYPE, AnepPeer.to(server.port(), delivery))).send(word("data ")).finish();
                byte[] all = server.next().getInputStream().readAllBytes();
                assertThat(new String(all, ISO_8859_1)).endsWith(delivery == Delivery.RAW ? "data owes paid" : "paid").contains("owes ");
            }
            new NodeView(node).awaitErrors(ErrorCode.SERVICE_BAD_OUTPUT, 0);
        }
    }
}
