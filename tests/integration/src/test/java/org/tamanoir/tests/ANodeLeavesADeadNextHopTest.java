package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Delivery;
import org.tamanoir.node.Node;

/** A route with two next hops, each a process of its own: killed, frozen or told to stop, it is left within a second, and taken again when it is back. */
@Tag("long")
class ANodeLeavesADeadNextHopTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    /** A second on a machine that has time. */
    private static final Duration SOON = Duration.ofSeconds(4);

    private Grid grid;
    private TcpServer echo;
    private NodeProgram first;
    private NodeProgram second;
    private NodeView view;
    private InetSocketAddress address;

    @BeforeEach
    void start() throws IOException {
        grid = Grid.withRepository();
        echo = TcpServer.echo();
        first = program("first", "127.0.0.1:0");
        second = program("second", "127.0.0.1:0");
        // The second is a spare, so that it is known which one a stream takes.
        Node node = grid.node(configuration -> configuration.set("routes", Map.of("127.0.0.0/8", at(first) + "," + at(second) + "*0")));
        address = node.address();
        view = new NodeView(node);
        await().atMost(SOON.multipliedBy(5)).until(() -> state(0).equals("up") && state(1).equals("up"));
    }

    @AfterEach
    void stop() throws IOException {
        first.close();
        second.close();
        echo.close();
        grid.close();
    }

    private NodeProgram program(String name, String listen) throws IOException {
        return new NodeProgram(grid.directory().resolve(name), "--listen", listen, "--drain", "20s", "--repository", grid.repository().url());
    }

    private static String at(NodeProgram node) {
        return "127.0.0.1:" + node.address().getPort();
    }

    private JsonNode hop(int number) {
        return view.routes().path("hops").path(number);
    }

    private String state(int number) {
        return hop(number).path("state").asText();
    }

    /** A stream gets its answer. */
    private AnepPeer stream() throws IOException {
        AnepPeer peer = new AnepPeer(address);
        peer.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(echo.port(), Delivery.RAW))).send(AnepPeer.data(Grid.FORWARD, new byte[100]));
        assertThat(peer.receive().payloadLength()).isEqualTo(100);
        return peer;
    }

    /** Streams that begin from now on take a hop, and have their answers within a second; a machine with other work may hold some up. */
    private void streamsTake(int number) throws IOException {
        long before = hop(number).path("streams").asLong();
        List<Duration> times = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            long start = System.nanoTime();
            stream().close();
            times.add(Duration.ofNanos(System.nanoTime() - start));
        }
        assertThat(times.stream().filter(time -> time.compareTo(SECOND) < 0)).as("of %s", times).hasSizeGreaterThanOrEqualTo(15);
        assertThat(hop(number).path("streams").asLong()).isEqualTo(before + 20);
        assertThat(hop(number).path("isNext").asBoolean()).isTrue();
    }

    @Test
    void thatWasKilledByTheNextStreamAndTakesItAgainWhenItIsBack() throws Exception {
        streamsTake(0);
        String before = at(first);
        first.kill().exitCode();
        streamsTake(1);
        await().atMost(SOON).until(() -> state(0).equals("down"));
        first = program("first", before);
        await().atMost(SOON).until(() -> state(0).equals("up"));
        streamsTake(0);
    }

    /** The system of a process that does not run goes on taking connections for it: only a question finds that out. */
    @Test
    void thatIsFrozenWithinASecond() throws Exception {
        CompletableFuture<Void> frozen = Grid.async(() -> {
            try {
                first.suspend(Duration.ofSeconds(8));
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(20)).atMost(SOON).until(() -> state(0).equals("down"));
        assertThat(hop(0).path("because").asText()).startsWith("has answered no check for ");
        streamsTake(1);
        frozen.join();
        await().atMost(SOON).until(() -> state(0).equals("up"));
        streamsTake(0);
    }

    @Test
    void thatIsStoppingWhileItsOpenStreamsGoOn() throws Exception {
        try (AnepPeer open = stream()) {
            first.terminate();
            // Before the node knows, and after: none is refused.
            for (int i = 0; i < 50; i++) {
                stream().close();
            }
            await().atMost(SOON).until(() -> state(0).equals("draining"));
            streamsTake(1);
            open.send(AnepPeer.data(Grid.FORWARD, new byte[77]));
            assertThat(open.receive().payloadLength()).isEqualTo(77);
            open.finish();
            assertThat(open.receive()).isNull();
        }
        assertThat(first.exitCode()).isZero();
        await().atMost(SOON).until(() -> state(0).equals("down"));
    }

    /** A stream of datagrams has no connection to lose: it begins anew by the other hop. */
    @Test
    void thatWasKilledWithAStreamOfDatagrams() throws Exception {
        try (UdpPeer peer = new UdpPeer(address); UdpPeer server = new UdpPeer()) {
            byte[] datagram = AnepPeer.opening(Grid.FORWARD, AnepPeer.to(server.port(), Delivery.ANEP));
            peer.send(datagram);
            server.receive();
            first.kill().exitCode();
            await().atMost(SOON).until(() -> {
                peer.send(datagram);
                return !server.isSilent(50);
            });
            assertThat(hop(1).path("streams").asLong()).isEqualTo(1);
        }
    }
}
