package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Packet;
import org.tamanoir.node.Node;

/** A stream that minds its own business while others misbehave: asks an echo server again and again and watches how long it takes. */
final class SteadyStream implements AutoCloseable {
    private static final int SIZE = 200;
    private static final int PAUSE_MILLIS = 5;

    private final TcpServer server = TcpServer.echo();
    private final AnepPeer peer;
    private final CompletableFuture<Void> asking;
    private volatile boolean enough;
    private volatile long worstNanos;
    private volatile int rounds;

    SteadyStream(Node node) throws IOException {
        peer = new AnepPeer(node.address());
        peer.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(server.port(), Delivery.RAW)));
        round(0);
        worstNanos = 0;
        asking = CompletableFuture.runAsync(this::ask, task -> new Thread(task, "test-steady").start());
    }

    private void ask() {
        try {
            for (int i = 1; !enough; i++) {
                long start = System.nanoTime();
                round(i);
                worstNanos = Math.max(worstNanos, System.nanoTime() - start);
                rounds = i;
                Thread.sleep(PAUSE_MILLIS);
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void round(int number) throws IOException {
        peer.send(AnepPeer.data(Grid.FORWARD, ByteBuffer.allocate(SIZE).putInt(number).array()));
        int answered = 0;
        for (int got = 0; got < SIZE;) {
            Packet packet = peer.receive();
            assertThat(packet).as("the good stream has ended").isNotNull();
            assertThat(packet.typeId()).as("the good stream got %s", packet).isEqualTo(Grid.FORWARD);
            if (got == 0 && packet.payloadLength() >= Integer.BYTES) {
                answered = packet.payload().getInt(0);
            }
            got += packet.payloadLength();
        }
        assertThat(answered).isEqualTo(number);
    }

    /** Ends it in good order; every answer was right. Returns the longest round trip in milliseconds. */
    long finish() throws IOException {
        int before = rounds;
        // Once more to the end: an answer that is still missing counts too.
        await().atMost(Duration.ofSeconds(15)).until(() -> asking.isDone() || rounds > before);
        enough = true;
        asking.join();
        peer.finish();
        assertThat(peer.receive()).isNull();
        return worstNanos / 1_000_000;
    }

    @Override
    public void close() throws IOException {
        enough = true;
        peer.close();
        server.close();
    }
}
