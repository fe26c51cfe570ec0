package org.tamanoir.client.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventLoopsTest {
    @ParameterizedTest
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
