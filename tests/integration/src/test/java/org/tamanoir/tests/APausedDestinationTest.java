package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.Delivery;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.node.Node;
import org.tamanoir.tests.services.Hoarding;

/** A service that takes what a destination sends can make it wait, and let it go on. */
class APausedDestinationTest {
    private static final int TYPE = 0x5500;
    private static final long MOST = 24 << 20;

    private static void sendForEver(Socket socket, AtomicLong sent) {
        byte[] piece = new byte[1 << 16];
        try {
            OutputStream out = socket.getOutputStream();
            while (true) {
                out.write(piece);
                sent.addAndGet(piece.length);
            }
        } catch (IOException e) {
            // The test is over.
        }
    }

    private static void awaitRest(AtomicLong sent) {
        AtomicLong before = new AtomicLong(-1);
        await("the destination waits").pollInterval(Duration.ofMillis(300)).until(() -> before.getAndSet(sent.get()) == sent.get());
    }

    @ParameterizedTest
    @ValueSource(strings = {"middle", "heavy"})
    void waitsUntilItMayGoOn(String level) throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.idle()) {
            grid.push(new ServiceBundle("hoarding", TYPE, level, Hoarding.class).in(grid.directory()));
            Node node = grid.node();
            CompletableFuture<Void> sending;
            try (AnepPeer peer = new AnepPeer(node.address()).send(AnepPeer.opening(TYPE, AnepPeer.to(server.port(), Delivery.RAW)))) {
                Socket destination = server.next();
                AtomicLong sent = new AtomicLong();
                sending = Grid.async(() -> sendForEver(destination, sent));
                await().until(() -> sent.get() > 1 << 20);
                awaitRest(sent);
                long waited = sent.get();
                assertThat(waited).as("octets that sockets and service took").isLessThan(MOST);
                peer.send(AnepPeer.data(TYPE, new byte[] {1}));
                // A megabyte more that the node read need not let the destination write more: its own system says when.
                assertThat(peer.receive().payloadLength()).as("octets behind a second megabyte").isPositive();
                awaitRest(sent);
                // What it still writes would wait for ever.
                destination.close();
            }
            sending.join();
        }
    }
}
