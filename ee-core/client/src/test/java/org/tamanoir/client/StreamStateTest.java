package org.tamanoir.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.wire.Packetizer;

class StreamStateTest {
    /** A link whose writes meet a reset: every one fails, and nothing else happens. */
    private static Link reset(EmbeddedChannel channel) {
        return (Link) Proxy.newProxyInstance(Link.class.getClassLoader(), new Class<?>[] {Link.class}, (proxy, method, arguments) ->
                switch (method.getName()) {
                    case "loop" -> channel.eventLoop();
                    case "allocator" -> channel.alloc();
                    case "peer", "local" -> new InetSocketAddress("127.0.0.1", 3322);
                    case "datagrams", "keeps" -> false;
                    case "write" -> {
                        ((ByteBuf) arguments[0]).release();
                        yield channel.newFailedFuture(new IOException("Connection reset by peer"));
                    }
                    default -> null;
                });
    }

    /** Half a file must never pass for a whole one because a write took the error that belonged to a read. */
    @Test
    void anEndThatIsReadAfterAFailedWriteIsALoss() throws Exception {
        EmbeddedChannel channel = new EmbeddedChannel();
        StreamState stream = new StreamState(reset(channel));
        stream.open(Packetizer.raw(1000), null);
        stream.outbox().send(channel.alloc().buffer().writeZero(100), false);
        channel.runPendingTasks();
        stream.onEnd();
        assertThat(stream.inputEnded()).isFalse();
        assertThatThrownBy(stream::take).isInstanceOfSatisfying(AnepException.class,
                e -> assertThat(e.code()).isEqualTo(ErrorCode.CONNECTION_LOST));
        assertThat(stream.closed()).isCompletedExceptionally();
        channel.finish();
    }
}
