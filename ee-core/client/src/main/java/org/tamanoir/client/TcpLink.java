package org.tamanoir.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.tamanoir.client.wire.Closing;
import org.tamanoir.client.wire.Packetizer;

/** A TCP connection that is one stream. */
final class TcpLink implements Link {
    /** How long a peer may take to read an error packet before the connection goes. */
    private static final long LINGER_MILLIS = 1000;

    private final SocketChannel channel;
    private final InetSocketAddress peer;
    private final InetSocketAddress local;

    TcpLink(SocketChannel channel) {
        this.channel = channel;
        this.peer = channel.remoteAddress();
        this.local = channel.localAddress();
    }

    @Override
    public EventLoop loop() {
        return channel.eventLoop();
    }

    @Override
    public ByteBufAllocator allocator() {
        return channel.alloc();
    }

    @Override
    public InetSocketAddress peer() {
        return peer;
    }

    @Override
    public InetSocketAddress local() {
        return local;
    }

    @Override
    public boolean datagrams() {
        return false;
    }

    @Override
    public Future<?> write(ByteBuf buffer) {
        return channel.write(buffer);
    }

    @Override
    public void flush() {
        channel.flush();
    }

    @Override
    public void read() {
        channel.read();
    }

    @Override
    public CompletableFuture<Void> finish(Packetizer packets) {
        return finish();
    }

    private CompletableFuture<Void> finish() {
        CompletableFuture<Void> finished = new CompletableFuture<>();
        Closing.finish(channel).addListener(done -> {
            if (done.isSuccess()) {
                finished.complete(null);
            } else {
                finished.completeExceptionally(done.cause());
            }
        });
        return finished;
    }

    @Override
    public void reset() {
        Closing.reset(channel);
    }

    @Override
    public void close() {
        Closing.close(channel);
    }

    /** A close with unread octets is a reset that may overtake the packet: finish first, and go on reading for a while. */
    @Override
    public CompletableFuture<Void> closeWith(ByteBuf last) {
        channel.write(last);
        CompletableFuture<Void> finished = finish();
        channel.config().setAutoRead(true);
        loop().schedule(() -> Closing.close(channel), LINGER_MILLIS, TimeUnit.MILLISECONDS);
        return finished;
    }
}
