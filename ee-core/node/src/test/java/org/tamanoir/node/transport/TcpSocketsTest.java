package org.tamanoir.node.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.transport.TcpSockets.Acceptor;
import org.tamanoir.node.transport.TcpSockets.NewLeg;

class TcpSocketsTest {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    /** Nobody is let in. */
    private abstract static class Closed implements Acceptor {
        @Override
        public void gone(InetSocketAddress peer) {
            throw new AssertionError("nobody was admitted");
        }

        @Override
        public void accepted(NewLeg connection, long number) {
            throw new AssertionError("nobody was admitted");
        }

        @Override
        public void refused(AnepException why) {
            // As it was told.
        }
    }

    /** Wrong: one in each turn of the loop, so that the hundredth waits for a hundred turns. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void allWhoWaitAreTakenInOneTurn(boolean nio) throws Exception {
        List<Socket> waiting = new ArrayList<>();
        AtomicInteger taken = new AtomicInteger();
        CompletableFuture<Integer> inOneTurn = new CompletableFuture<>();
        try (EventLoops loops = new EventLoops(1, nio, () -> 1 << 20)) {
            InetSocketAddress listener = (InetSocketAddress) new TcpSockets(loops, null).listen(ANY, false, new Closed() {
                @Override
                public long admit(InetSocketAddress peer) {
                    if (taken.incrementAndGet() == 1) {
                        // Tasks run when all connections have had their turn.
                        loops.all().get(0).execute(() -> inOneTurn.complete(taken.get()));
                    }
                    throw new AnepException(ErrorCode.STOPPING, "it is enough to come");
                }
            }).localAddress();
            CountDownLatch blocked = new CountDownLatch(1);
            CountDownLatch full = new CountDownLatch(1);
            loops.all().get(0).execute(() -> {
                try {
                    blocked.countDown();
                    full.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            blocked.await();
            for (int i = 0; i < 100; i++) {
                waiting.add(new Socket(listener.getAddress(), listener.getPort()));
            }
            full.countDown();
            assertThat(inOneTurn.get(10, TimeUnit.SECONDS)).isEqualTo(100);
        } finally {
            for (Socket socket : waiting) {
                socket.close();
            }
        }
    }

    /** Wrong: who is never looked at and keeps its place among those that may be taken, until a listener takes nobody any more. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoFailsBeforeItIsLookedAtGivesItsPlaceBack(boolean nio) throws Exception {
        int defects = TcpSockets.MOST_UNSEEN + 10;
        AtomicInteger taken = new AtomicInteger();
        CompletableFuture<Void> another = new CompletableFuture<>();
        try (EventLoops loops = new EventLoops(2, nio, () -> 1 << 20)) {
            InetSocketAddress listener = (InetSocketAddress) new TcpSockets(loops, null).listen(ANY, false, new Closed() {
                @Override
                public long admit(InetSocketAddress peer) {
                    if (taken.incrementAndGet() <= defects) {
                        throw new IllegalStateException("a defect");
                    }
                    another.complete(null);
                    throw new AnepException(ErrorCode.STOPPING, "it is enough to come");
                }
            }).localAddress();
            for (int i = 0; i <= defects; i++) {
                try (Socket socket = new Socket(listener.getAddress(), listener.getPort())) {
                    socket.setSoTimeout(10_000);
                    // Closed, or the first octet of a refusal.
                    socket.getInputStream().read();
                }
            }
            another.get(10, TimeUnit.SECONDS);
        }
    }
}
