package org.tamanoir.client.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventLoopsTest {
    /** Wrong: one in each turn of the loop, so that the hundredth waits for a hundred turns. */
    @ParameterizedTest
    @Tag("long")
    @ValueSource(booleans = {true, false})
    void allWhoWaitAreTakenInOneTurn(boolean fast) throws Exception {
        EventLoopGroup group = fast ? EventLoops.newFastGroup(1, "accepts") : EventLoops.newGroup(1, "accepts");
        List<Socket> waiting = new ArrayList<>();
        AtomicInteger taken = new AtomicInteger();
        CompletableFuture<Integer> inOneTurn = new CompletableFuture<>();
        try {
            InetSocketAddress listener = (InetSocketAddress) EventLoops.tcpServer(group).childHandler(new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel channel) {
                    if (taken.incrementAndGet() == 1) {
                        // Tasks run when all channels have had their turn.
                        channel.eventLoop().execute(() -> inOneTurn.complete(taken.get()));
                    }
                }
            }).bind(InetAddress.getLoopbackAddress(), 0).sync().channel().localAddress();
            CountDownLatch blocked = new CountDownLatch(1);
            CountDownLatch full = new CountDownLatch(1);
            group.next().execute(() -> {
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
            EventLoops.close(group).await();
        }
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(booleans = {true, false})
    void aGroupThatIsClosedWhileItsTasksRunLeavesNoChannelOpen(boolean fast) throws Exception {
        EventLoopGroup group = fast ? EventLoops.newFastGroup(1, "closed") : EventLoops.newGroup(1, "closed");
        ByteBuf unsent = Unpooled.buffer(16).writeZero(16);
        try (ServerSocket server = new ServerSocket(0)) {
            Channel channel = EventLoops.tcp(group).connect(new InetSocketAddress("127.0.0.1", server.getLocalPort())).sync().channel();
            CountDownLatch running = new CountDownLatch(1);
            CountDownLatch told = new CountDownLatch(1);
            group.next().execute(() -> {
                running.countDown();
                try {
                    told.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                channel.write(unsent);
            });
            running.await();
            Future<?> closed = EventLoops.close(group);
            told.countDown();
            assertThat(closed.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(channel.isOpen()).isFalse();
            await().untilAsserted(() -> assertThat(unsent.refCnt()).isZero());
        }
    }
}
