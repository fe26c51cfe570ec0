package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Packet;
import org.tamanoir.node.Node;

/**
 * A stream that minds its own business while others misbehave: asks an echo server again and again and watches how long it takes. Beside it
 * the same question goes to the server without the node; what a busy machine does to that one is not held against the node.
 */
final class SteadyStream implements AutoCloseable {
    private static final int SIZE = 200;
    private static final int PAUSE_MILLIS = 5;
    /** A round through the node wakes about twice as many threads as one without it, and each may have to wait for a core. */
    private static final int LONGER_WAY = 2;
    /**
     * Beyond that, in milliseconds: a round through the node may meet a collection of garbage or a busy core that the one beside it has not met. Alone,
     * a fifth of it is enough, which is what {@code bench memory} allows; with three other tests on two cores 1,102 ms were seen.
     */
    private static final int CHANCE = 2500;

    private final TcpServer server = TcpServer.echo();
    private final AnepPeer peer;
    private final Socket straight;
    private final Asking through;
    private final Asking beside;

    SteadyStream(Node node) throws IOException {
        this(node.address());
    }

    SteadyStream(InetSocketAddress node) throws IOException {
        peer = new AnepPeer(node);
        peer.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(server.port(), Delivery.RAW)));
        round(0);
        straight = new Socket(InetAddress.getLoopbackAddress(), server.port());
        through = new Asking(this::round);
        beside = new Asking(this::roundWithoutTheNode);
    }

    private interface Question {
        /** Returns when the answer has come and was right. */
        void ask(int number) throws IOException;
    }

    /** One question after the other, in a thread of its own; each counts from when it was due, so that no pause of the machine falls between two of them unseen. */
    private static final class Asking {
        private final Question question;
        private final CompletableFuture<Void> done;
        private volatile boolean enough;
        private volatile long worstNanos;
        private volatile int rounds;

        Asking(Question question) {
            this.question = question;
            done = CompletableFuture.runAsync(this::ask, task -> new Thread(task, "test-steady").start());
        }

        private void ask() {
            try {
                long due = System.nanoTime();
                for (int i = 1; !enough; i++) {
                    question.ask(i);
                    worstNanos = Math.max(worstNanos, System.nanoTime() - due);
                    rounds = i;
                    due = System.nanoTime() + PAUSE_MILLIS * 1_000_000L;
                    Thread.sleep(PAUSE_MILLIS);
                }
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Once more to the end, because an answer that is still missing counts too; then no more. Returns the worst time. */
        long finish() {
            int before = rounds;
            await().until(() -> done.isDone() || rounds > before);
            enough = true;
            done.join();
            return worstNanos;
        }
    }

    private void round(int number) throws IOException {
        peer.send(AnepPeer.data(Grid.FORWARD, question(number)));
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

    private void roundWithoutTheNode(int number) throws IOException {
        byte[] question = question(number);
        straight.getOutputStream().write(question);
        byte[] answer = new byte[SIZE];
        new DataInputStream(straight.getInputStream()).readFully(answer);
        assertThat(answer).isEqualTo(question);
    }

    private static byte[] question(int number) {
        return ByteBuffer.allocate(SIZE).putInt(number).array();
    }

    /** Ends it cleanly, and fails if an answer was wrong, or came later than this machine explains. */
    void undisturbed() throws IOException {
        undisturbed(0);
    }

    /**
     * The same where a service may hold up its event loop for some time, and with it the other streams of that loop.
     *
     * @param heldMillis the time for which the node lets it
     */
    void undisturbed(int heldMillis) throws IOException {
        long worst = finish() / 1_000_000;
        long machine = LONGER_WAY * beside.finish() / 1_000_000;
        assertThat(worst).as("%d ms for the longest round trip through the node, where one without it took up to %d", worst, machine / LONGER_WAY)
                .isLessThan(machine + heldMillis + CHANCE);
    }

    /** Ends it cleanly; every answer was right. @return nanoseconds of the longest round trip */
    long finish() throws IOException {
        long worst = through.finish();
        peer.finish();
        assertThat(peer.receive()).isNull();
        return worst;
    }

    @Override
    public void close() throws IOException {
        through.enough = true;
        beside.enough = true;
        peer.close();
        straight.close();
        server.close();
    }
}
