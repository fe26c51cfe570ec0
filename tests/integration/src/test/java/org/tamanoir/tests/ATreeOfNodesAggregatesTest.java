package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.node.Node;

/**
 * Figure 2 of <i>Designing and Evaluating An Active Grid Architecture</i>: five sources, two nodes beside them, one node above, one
 * receiver. Each node sends up one reading a round; what arrives is the minimum, maximum and sum of those who have contributed.
 */
@Tag("long")
class ATreeOfNodesAggregatesTest {
    private static final int AGGREGATE = 0x5406;
    private static final int SIZE = 80;
    private static final int SOURCES = 5;

    /** A result as the table of services/aggregate/README.md has it. */
    private record Result(boolean partial, boolean last, int level, long group, long round, long count, long min, long max, long sum) {
        static Result of(byte[] octets) {
            ByteBuffer in = ByteBuffer.wrap(octets);
            assertThat(in.getShort(0)).as("version 1, integers").isEqualTo((short) 0x0101);
            return new Result((in.get(2) & 1) != 0, (in.get(2) & 4) != 0, in.get(3), in.getLong(8), in.getLong(16), in.getLong(40),
                    in.getLong(48), in.getLong(56), in.getLong(72));
        }
    }

    private static byte[] value(long round, long source, long value, int siblings) {
        return ByteBuffer.allocate(SIZE).put((byte) 1).put((byte) 1).putShort((short) 0).putInt(siblings).putLong(42).putLong(round)
                .putLong(source).putLong(0).putLong(1).putLong(value).putLong(value).putLong(value >> 63).putLong(value).array();
    }

    /** The nodes: sources 0 to 2 speak to the first, 3 and 4 to the second, and the third stands above both. */
    private static final class Tree implements AutoCloseable {
        private final Grid grid = Grid.withRepository();
        private final Node above;
        private final List<Node> beside;

        Tree(String wait) throws IOException {
            grid.push(Grid.bundle("aggregate"));
            above = grid.node(configuration -> configuration.set("services", Map.of("aggregate", new HashMap<>(Map.of("children", 2, "wait", wait)))));
            beside = List.of(below(wait), below(wait));
        }

        private Node below(String wait) {
            return grid.node(configuration -> {
                configuration.set("services", Map.of("aggregate", new HashMap<>(Map.of("wait", wait))));
                configuration.set("routes", Map.of("127.0.0.0/8", "127.0.0.1:" + above.address().getPort()));
            });
        }

        Node of(int source) {
            return beside.get(source < 3 ? 0 : 1);
        }

        double metric(Node node, String name) {
            return new NodeView(node).total("tamanoir_aggregate_" + name + "_total");
        }

        @Override
        public void close() throws IOException {
            grid.close();
        }
    }

    /** Takes readings from every connection that comes, and counts the connections that have ended. */
    private static final class Receiver implements AutoCloseable {
        private final BlockingQueue<Result> results = new LinkedBlockingQueue<>();
        private final AtomicInteger ended = new AtomicInteger();
        private final TcpServer server = new TcpServer(this::take);

        Receiver() throws IOException {
        }

        private void take(Socket socket) throws IOException {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            byte[] octets = new byte[SIZE];
            try {
                while (true) {
                    in.readFully(octets);
                    results.add(Result.of(octets));
                }
            } catch (EOFException e) {
                ended.incrementAndGet();
                socket.close();
            }
        }

        Result next() throws InterruptedException {
            Result result = results.poll(10, TimeUnit.SECONDS);
            assertThat(result).as("a result within 10 s").isNotNull();
            return result;
        }

        @Override
        public void close() {
            server.close();
        }
    }

    private static long said(long round, int source) {
        return (source - 2) * 100 + round;
    }

    private static Result expected(boolean partial, long round, int... sources) {
        long min = Long.MAX_VALUE;
        long max = Long.MIN_VALUE;
        long sum = 0;
        for (int source : sources) {
            min = Math.min(min, said(round, source));
            max = Math.max(max, said(round, source));
            sum += said(round, source);
        }
        return new Result(partial, true, 2, 42, round, sources.length, min, max, sum);
    }

    private static List<AnepPeer> connect(Tree tree, Receiver receiver) throws IOException {
        List<AnepPeer> sources = new ArrayList<>();
        for (int i = 0; i < SOURCES; i++) {
            sources.add(new AnepPeer(tree.of(i).address())
                    .send(AnepPeer.opening(AGGREGATE, AnepPeer.to(receiver.server.port(), Delivery.RAW))));
        }
        return sources;
    }

    private static void say(AnepPeer source, long round, int number) throws IOException {
        source.send(AnepPeer.data(AGGREGATE, value(round, number, said(round, number), number < 3 ? 3 : 2)));
    }

    @Test
    void overConnections() throws Exception {
        int rounds = 200;
        try (Tree tree = new Tree("20s"); Receiver receiver = new Receiver()) {
            List<AnepPeer> sources = connect(tree, receiver);
            for (long round = 1; round <= rounds; round++) {
                for (int i = 0; i < SOURCES; i++) {
                    say(sources.get((int) ((i + round) % SOURCES)), round, (int) ((i + round) % SOURCES));
                }
                assertThat(receiver.next()).isEqualTo(expected(false, round, 0, 1, 2, 3, 4));
            }
            assertThat(tree.metric(tree.of(0), "readings")).isEqualTo(3 * rounds);
            assertThat(tree.metric(tree.of(4), "readings")).isEqualTo(2 * rounds);
            assertThat(tree.metric(tree.above, "readings")).as("one reading a round of each node below").isEqualTo(2 * rounds);
            assertThat(tree.metric(tree.above, "results")).isEqualTo(rounds);
            for (AnepPeer source : sources) {
                source.finish();
            }
            await().until(() -> receiver.ended.get() == SOURCES);
            new NodeView(tree.above).awaitStreams(0);
            assertThat(receiver.results).isEmpty();
            assertThat(new NodeView(tree.above).errors()).isZero();
        }
    }

    /** Each source opens its stream, says one thing and finishes, before the next begins: as a command in a script does. */
    @Test
    void overConnectionsThatFinishBeforeTheRoundIsComplete() throws Exception {
        try (Tree tree = new Tree("20s"); Receiver receiver = new Receiver()) {
            for (int i = 0; i < SOURCES; i++) {
                AnepPeer source = new AnepPeer(tree.of(i).address());
                source.send(AnepPeer.opening(AGGREGATE, AnepPeer.to(receiver.server.port(), Delivery.RAW)));
                say(source, 1, i);
                source.finish();
                Thread.sleep(100);
            }
            assertThat(receiver.next()).isEqualTo(expected(false, 1, 0, 1, 2, 3, 4));
            await().until(() -> receiver.ended.get() == SOURCES);
            assertThat(receiver.results).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void withoutAChildThatHasDied(boolean wholeNode) throws Exception {
        try (Tree tree = new Tree("1s"); Receiver receiver = new Receiver()) {
            List<AnepPeer> sources = connect(tree, receiver);
            for (int i = 0; i < SOURCES; i++) {
                say(sources.get(i), 1, i);
            }
            assertThat(receiver.next()).isEqualTo(expected(false, 1, 0, 1, 2, 3, 4));
            if (wholeNode) {
                tree.of(4).close();
            } else {
                Sockets.cut(sources.get(4).socket());
            }
            int left = wholeNode ? 3 : 4;
            for (long round = 2; round <= 4; round++) {
                long start = System.nanoTime();
                for (int i = 0; i < left; i++) {
                    say(sources.get(i), round, i);
                }
                assertThat(receiver.next()).isEqualTo(expected(true, round, wholeNode ? new int[] {0, 1, 2} : new int[] {0, 1, 2, 3}));
                assertThat((System.nanoTime() - start) / 1_000_000).as("milliseconds").isBetween(990L, 10_000L);
            }
            if (!wholeNode) {
                try (AnepPeer late = new AnepPeer(tree.of(4).address())) {
                    late.send(AnepPeer.opening(AGGREGATE, AnepPeer.to(receiver.server.port(), Delivery.RAW)));
                    say(late, 4, 4);
                    await().until(() -> tree.metric(tree.of(4), "late_readings") == 1);
                    say(late, 5, 4);
                    for (int i = 0; i < 4; i++) {
                        say(sources.get(i), 5, i);
                    }
                    assertThat(receiver.next()).as("it may come back").isEqualTo(expected(false, 5, 0, 1, 2, 3, 4));
                }
            }
            assertThat(receiver.results).isEmpty();
        }
    }

    @Test
    void overDatagramsAlsoWhenSomeComeTwice() throws Exception {
        int rounds = 50;
        try (Tree tree = new Tree("20s"); UdpPeer receiver = new UdpPeer()) {
            List<UdpPeer> sources = new ArrayList<>();
            for (int i = 0; i < SOURCES; i++) {
                sources.add(new UdpPeer(tree.of(i).address()));
            }
            for (long round = 1; round <= rounds; round++) {
                for (int i = SOURCES - 1; i >= 0; i--) {
                    byte[] datagram = AnepPeer.packet(new PacketBuilder(AGGREGATE).flags(Anep.FLAG_DISCARD_UNKNOWN)
                            .options(AnepPeer.to(receiver.port(), Delivery.RAW))
                            .payload(Unpooled.wrappedBuffer(value(round, i, said(round, i), i < 3 ? 3 : 2))));
                    sources.get(i).send(datagram);
                    if (i == round % SOURCES) {
                        sources.get(i).send(datagram);
                    }
                }
                assertThat(Result.of(receiver.receive())).isEqualTo(expected(false, round, 0, 1, 2, 3, 4));
            }
            assertThat(receiver.isSilent(300)).isTrue();
            double again = tree.metric(tree.of(0), "duplicate_readings") + tree.metric(tree.of(0), "late_readings")
                    + tree.metric(tree.of(4), "duplicate_readings") + tree.metric(tree.of(4), "late_readings");
            assertThat(again).as("those that came twice").isEqualTo(rounds);
            sources.forEach(UdpPeer::close);
        }
    }
}
