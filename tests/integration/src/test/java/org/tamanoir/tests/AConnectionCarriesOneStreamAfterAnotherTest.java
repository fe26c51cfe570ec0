package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.ConnectionUse;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.node.Node;

/** A node takes one stream after another on a connection, and opens them so; its neighbours are octets by hand. */
class AConnectionCarriesOneStreamAfterAnotherTest {
    private static final byte[] ACCEPT = HexFormat.of().parseHex("0180540000040010" + "800a000201000000");
    private static final byte[] END = HexFormat.of().parseHex("0180540000040010" + "800a000202000000");
    private static final byte[] READY = HexFormat.of().parseHex("0180540000040010" + "800a000203000000");

    /** A next hop that sends every payload back and keeps its connections, but for what a test asks. */
    private static final class KeepingHop implements AutoCloseable {
        final AtomicInteger connections = new AtomicInteger();
        final AtomicInteger streams = new AtomicInteger();
        private final ServerSocket listener = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        /** Gives a connection up by FIN, or breaks it, when its second stream has begun. */
        volatile boolean givesUp;
        volatile boolean resets;

        KeepingHop() throws IOException {
            thread(() -> {
                while (true) {
                    Socket connection = listener.accept();
                    connections.incrementAndGet();
                    thread(() -> serve(connection));
                }
            });
        }

        int port() {
            return listener.getLocalPort();
        }

        private interface Work {
            void run() throws IOException;
        }

        private static void thread(Work work) {
            Thread thread = new Thread(() -> {
                try {
                    work.run();
                } catch (IOException e) {
                    // The other side has gone, or the test is over.
                }
            }, "keeping-hop");
            thread.setDaemon(true);
            thread.start();
        }

        private void serve(Socket connection) throws IOException {
            DataInputStream in = new DataInputStream(connection.getInputStream());
            OutputStream out = connection.getOutputStream();
            for (int stream = 0;; stream++) {
                byte[] opening = packet(in);
                if (opening == null) {
                    connection.close();
                    return;
                }
                assertThat(HexFormat.of().formatHex(opening)).as("the first packet offers the connection").contains("800a000400000000");
                if (stream > 0 && resets) {
                    connection.setSoLinger(true, 0);
                    connection.close();
                    return;
                }
                if (stream > 0 && givesUp) {
                    connection.shutdownOutput();
                    in.transferTo(OutputStream.nullOutputStream());
                    return;
                }
                streams.incrementAndGet();
                if (stream == 0) {
                    out.write(ACCEPT);
                }
                for (byte[] packet = packet(in); !Arrays.equals(packet, END); packet = packet(in)) {
                    out.write(packet);
                }
                out.write(END);
                out.write(READY);
            }
        }

        private static byte[] packet(DataInputStream in) throws IOException {
            byte[] header = in.readNBytes(8);
            if (header.length < 8) {
                return null;
            }
            byte[] whole = Arrays.copyOf(header, (header[6] & 0xFF) << 8 | header[7] & 0xFF);
            in.readFully(whole, 8, whole.length - 8);
            return whole;
        }

        @Override
        public void close() throws IOException {
            listener.close();
        }
    }

    private static byte[] offering(int destination, Delivery delivery) {
        PacketOptions options = AnepPeer.to(destination, delivery).connection(ConnectionUse.OFFER, 0);
        return AnepPeer.packet(new PacketBuilder(Grid.FORWARD).flags(Anep.FLAG_DISCARD_UNKNOWN).options(options));
    }

    /** One stream on a connection of this program: sends, ends by a packet, and reads until the node is ready for the next. */
    private static void stream(AnepPeer peer, byte[] opening, byte[] payload, boolean first) throws IOException {
        peer.send(opening).send(AnepPeer.data(Grid.FORWARD, payload));
        ConnectionUse heard = null;
        int got = 0;
        if (first) {
            assertThat(peer.receive().connectionUse()).isEqualTo(ConnectionUse.ACCEPT);
        }
        while (got < payload.length) {
            Packet packet = peer.receive();
            assertThat(packet).as("an answer").isNotNull();
            assertThat(packet.typeId()).isEqualTo(Grid.FORWARD);
            got += packet.payloadLength();
        }
        peer.send(END);
        for (Packet packet = peer.receive(); heard != ConnectionUse.READY; packet = heard == ConnectionUse.READY ? null : peer.receive()) {
            heard = packet.connectionUse();
        }
        assertThat(got).isEqualTo(payload.length);
    }

    @Test
    void theNodeTakesOneAfterAnotherAndCountsEach() throws IOException {
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            Node node = grid.node();
            NodeView view = new NodeView(node);
            try (AnepPeer peer = new AnepPeer(node.address())) {
                for (int i = 0; i < 20; i++) {
                    stream(peer, offering(echo.port(), Delivery.RAW), new byte[1 + 1000 * i], i == 0);
                }
                // The peer hears that the connection is ready for the next stream a moment before the node counts the last one.
                view.awaitStreams(0);
                assertThat(view.status().path("streamsCompleted").asInt()).isEqualTo(20);
                assertThat(view.status().path("streamsOnKeptConnections").asInt()).isEqualTo(19);
                // Between two streams there is nothing to say but the first packet of the next.
                peer.send(END);
                assertThat(peer.receive()).isNull();
            }
        }
    }

    @Test
    void anOfferThatSomebodyHasPassedOnIsNotTaken() throws IOException {
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            Node node = grid.node();
            PacketOptions options = AnepPeer.to(echo.port(), Delivery.RAW).connection(ConnectionUse.OFFER, 0x1234);
            try (AnepPeer peer = new AnepPeer(node.address())) {
                peer.send(AnepPeer.packet(new PacketBuilder(Grid.FORWARD).flags(Anep.FLAG_DISCARD_UNKNOWN).options(options)));
                peer.send(AnepPeer.data(Grid.FORWARD, new byte[] {1}));
                assertThat(peer.receive().typeId()).as("no accept before the answer").isEqualTo(Grid.FORWARD);
                peer.finish();
                assertThat(peer.receive()).as("FIN").isNull();
            }
        }
    }

    @Test
    void theNodeOpensOneAfterAnother() throws Exception {
        try (Grid grid = Grid.withRepository(); KeepingHop hop = new KeepingHop()) {
            Node node = grid.node(configuration -> configuration.set("routes", Map.of("127.0.0.0/8", "127.0.0.1:" + hop.port())));
            for (int i = 0; i < 20; i++) {
                // The hop says a little later that it is ready.
                Thread.sleep(20);
                try (AnepPeer peer = new AnepPeer(node.address())) {
                    stream(peer, offering(9, Delivery.RAW), new byte[5000], true);
                }
            }
            assertThat(hop.streams).hasValue(20);
            assertThat(hop.connections).as("connections for 20 streams").hasValueLessThan(15);
        }
    }

    /** What is read there goes on as it came, whatever it says: nobody would understand the offer. */
    @Test
    void lightPortsAreMadeNoOffer() throws Exception {
        InetAddress light = InetAddress.getByName("127.33.23.1");
        try (Grid grid = Grid.withRepository(); ServerSocket hop = new ServerSocket(Anep.PORT_LIGHT, 1, light)) {
            Node node = grid.node(configuration -> configuration.set("routes", Map.of("127.0.0.0/8", "127.33.23.1:" + Anep.PORT_LIGHT)));
            try (AnepPeer peer = new AnepPeer(node.address())) {
                peer.send(offering(9, Delivery.ANEP));
                try (Socket connection = hop.accept()) {
                    byte[] opening = KeepingHop.packet(new DataInputStream(connection.getInputStream()));
                    assertThat(new Packet().wrap(Unpooled.wrappedBuffer(opening), 0, opening.length).offersConnection()).isFalse();
                }
            }
        }
    }

    /** The next hop stops in the moment in which the node takes the connection: the stream goes to another connection, whole. */
    @Test
    void whatANextHopGaveUpUnseenGoesAgain() throws Exception {
        try (Grid grid = Grid.withRepository(); KeepingHop hop = new KeepingHop()) {
            Node node = grid.node(configuration -> {
                configuration.set("routes", Map.of("127.0.0.0/8", "127.0.0.1:" + hop.port()));
                configuration.set("threads", 1);
            });
            for (int i = 0; i < 10; i++) {
                Thread.sleep(100);
                hop.givesUp = i % 2 == 1;
                try (AnepPeer peer = new AnepPeer(node.address())) {
                    stream(peer, offering(9, Delivery.RAW), new byte[5000], true);
                }
            }
            assertThat(hop.streams).hasValue(10);
            assertThat(hop.connections).hasValueGreaterThan(3);
            assertThat(new NodeView(node).status().path("errors").size()).isZero();
        }
    }

    /** Whether somebody has seen a stream that was reset is not known: its source is told, and nothing is sent twice. */
    @Test
    void aResetIsNotRepeated() throws Exception {
        try (Grid grid = Grid.withRepository(); KeepingHop hop = new KeepingHop()) {
            Node node = grid.node(configuration -> {
                configuration.set("routes", Map.of("127.0.0.0/8", "127.0.0.1:" + hop.port()));
                configuration.set("threads", 1);
            });
            try (AnepPeer peer = new AnepPeer(node.address())) {
                stream(peer, offering(9, Delivery.RAW), new byte[5000], true);
            }
            // The hop's word that it is ready may still be under way.
            Thread.sleep(300);
            hop.resets = true;
            try (AnepPeer peer = new AnepPeer(node.address())) {
                peer.send(offering(9, Delivery.RAW)).send(AnepPeer.data(Grid.FORWARD, new byte[100]));
                assertThat(peer.refusalAfterData()).isEqualTo(ErrorCode.CONNECTION_LOST);
            }
            assertThat(hop.streams).hasValue(1);
            assertThat(hop.connections).hasValue(1);
        }
    }

    /** A node that stops ends the connections that wait, and what comes on them all the same is thrown away and not reset. */
    @Test
    void aStoppingNodeEndsWhatWaits() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            Node node = grid.node();
            try (AnepPeer peer = new AnepPeer(node.address())) {
                stream(peer, offering(echo.port(), Delivery.RAW), new byte[10], true);
                Thread stopping = new Thread(node::stop);
                stopping.start();
                assertThat(peer.receive()).as("FIN").isNull();
                peer.send(offering(echo.port(), Delivery.RAW));
                assertThat(peer.receive()).as("no reset").isNull();
                peer.finish();
                await().until(() -> !stopping.isAlive());
            }
        }
    }
}
