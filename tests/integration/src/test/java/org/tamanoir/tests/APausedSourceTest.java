package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.DataInputStream;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.node.Node;
import org.tamanoir.settings.Settings;
import org.tamanoir.tests.services.Means;

/** A service that makes a source wait slows it down at little cost of memory, and loses nothing when it lets it go on. */
@Timeout(120)
@Tag("long")
class APausedSourceTest {
    private static final int TYPE = 0x5500;
    private static final int PIECE = 50_000;
    private static final long MOST = 32 << 20;

    private static Node node(Grid grid, String level, java.util.function.Consumer<Settings> more) {
        grid.push(new ServiceBundle("pauses", TYPE, level, Means.class).in(grid.directory()));
        return grid.node(more);
    }

    private static byte[] piece(int number, char first) {
        byte[] piece = new byte[PIECE];
        new Random(number).nextBytes(piece);
        piece[0] = (byte) first;
        return piece;
    }

    private static void send(AnepPeer peer, int pieces, AtomicLong sent) {
        try {
            for (int i = 0; i < pieces; i++) {
                peer.send(AnepPeer.data(TYPE, piece(i, 'p')));
                sent.addAndGet(PIECE);
            }
            peer.finish();
        } catch (java.io.IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @CsvSource({"middle, epoll", "middle, nio", "heavy, epoll"})
    void isSlowedDownAndLosesNothing(String level, String io) throws Exception {
        int pieces = 600;
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.idle()) {
            Node node = node(grid, level, configuration -> configuration.set("io", io));
            NodeView view = new NodeView(node);
            try (AnepPeer peer = new AnepPeer(node.address())) {
                peer.send(AnepPeer.opening(TYPE, AnepPeer.to(server.port(), Delivery.RAW)));
                DataInputStream in = new DataInputStream(server.next().getInputStream());
                long began = System.nanoTime();
                CompletableFuture<Void> sending = Grid.async(() -> send(peer, pieces, new AtomicLong()));
                byte[] piece = new byte[PIECE];
                long memory = 0;
                for (int i = 0; i < pieces; i++) {
                    in.readFully(piece);
                    assertThat(piece).as("piece %d", i).isEqualTo(piece(i, 'p'));
                    memory = i % 100 == 0 ? Math.max(memory, view.directMemory() - grid.directMemoryBefore()) : memory;
                }
                assertThat(in.read()).as("the end comes too").isEqualTo(-1);
                sending.join();
                long pauses = (long) pieces * PIECE / Means.PIECE;
                // Some pieces are read before a pause takes hold; a heavy service has a megabyte on its way besides.
                assertThat((System.nanoTime() - began) / 1_000_000).as("milliseconds").isGreaterThan(pauses * Means.PAUSE_MILLIS / 2);
                assertThat(memory).as("direct memory").isLessThan(MOST);
            }
            assertThat(view.errors()).isZero();
        }
    }

    @Test
    void thatIsNeverLetGoOnFillsNothingAndEndsWhenItIsIdle() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.idle()) {
            Node node = node(grid, "middle", configuration -> configuration.set("limits.idle-timeout", "3s"));
            NodeView view = new NodeView(node);
            try (AnepPeer peer = new AnepPeer(node.address()); SteadyStream steady = new SteadyStream(node)) {
                peer.socket().setSendBufferSize(1 << 16);
                peer.send(AnepPeer.opening(TYPE, AnepPeer.to(server.port(), Delivery.RAW))).send(AnepPeer.data(TYPE, piece(0, 'F')));
                server.next();
                await().until(() -> view.streams().stream().anyMatch(stream -> stream.path("paused").asBoolean()));
                AtomicLong sent = new AtomicLong();
                CompletableFuture<Void> sending = Grid.async(() -> send(peer, 2000, sent));
                Thread.sleep(1500);
                assertThat(sent.get()).as("octets that the sockets took").isLessThan(16 << 20);
                assertThat(view.directMemory() - grid.directMemoryBefore()).as("direct memory").isLessThan(MOST);
                view.awaitErrors(ErrorCode.IDLE_TIMEOUT, 1);
                view.awaitStreams(1);
                sending.exceptionally(cut -> null).join();
                steady.undisturbed();
            }
        }
    }

    @Test
    void goesOnWithoutAServiceThatFails() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.idle()) {
            Node node = node(grid, "middle", configuration -> configuration.set("policies.pauses.on-failure", "bypass"));
            try (AnepPeer peer = new AnepPeer(node.address())) {
                peer.send(AnepPeer.opening(TYPE, AnepPeer.to(server.port(), Delivery.RAW))).send(AnepPeer.data(TYPE, piece(0, 'X')));
                DataInputStream in = new DataInputStream(server.next().getInputStream());
                in.readFully(new byte[PIECE]);
                CompletableFuture<Void> sending = Grid.async(() -> send(peer, 200, new AtomicLong()));
                assertThat(in.readAllBytes()).hasSize(200 * PIECE);
                sending.join();
            }
        }
    }
}
