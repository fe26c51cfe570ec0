package org.tamanoir.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.tamanoir.client.wire.Packetizer;

/** Datagrams to one peer, over a socket of the stream's own (a client) or one that all streams share (a receiver). */
final class UdpLink implements Link {
    /** When the datagram that marks the end is sent again: any two of the three may be lost. */
    private static final long[] END_MILLIS = {0, 20, 100};

    private final DatagramChannel channel;
    private final InetSocketAddress peer;
    private final boolean shared;
    private final Runnable gone;

    private UdpLink(DatagramChannel channel, InetSocketAddress peer, boolean shared, Runnable gone) {
        this.channel = channel;
        this.peer = peer;
        this.shared = shared;
        this.gone = gone;
    }

    /** A connected socket that goes with the stream. */
    static UdpLink connected(DatagramChannel channel) {
        return new UdpLink(channel, channel.remoteAddress(), false, () -> { });
    }

    /** A socket that stays; {@code gone} runs when the stream ends. */
    static UdpLink shared(DatagramChannel channel, InetSocketAddress peer, Runnable gone) {
        return new UdpLink(channel, peer, true, gone);
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
        return channel.localAddress();
    }

    @Override
    public boolean datagrams() {
        return true;
    }

    @Override
    public Future<?> write(ByteBuf buffer) {
        return channel.write(shared ? new DatagramPacket(buffer, peer) : buffer);
    }

    @Override
    public void flush() {
        channel.flush();
    }

    @Override
    public void read() {
        if (!shared) {
            channel.read();
        }
    }

    @Override
    public CompletableFuture<Void> finish(Packetizer packets) {
        ByteBuf mark = allocator().directBuffer();
        packets.writeHeader(mark, 0);
        CompletableFuture<Void> finished = new CompletableFuture<>();
        for (int i = 0; i < END_MILLIS.length; i++) {
            boolean last = i == END_MILLIS.length - 1;
            ByteBuf copy = mark.retainedDuplicate();
            loop().schedule(() -> sendMark(copy, last ? finished : null), END_MILLIS[i], TimeUnit.MILLISECONDS);
        }
        mark.release();
        return finished;
    }

    private void sendMark(ByteBuf mark, CompletableFuture<Void> finished) {
        write(mark).addListener(written -> {
            if (finished != null && written.isSuccess()) {
                finished.complete(null);
            } else if (finished != null) {
                finished.completeExceptionally(written.cause());
            }
        });
        flush();
    }

    @Override
    public void reset() {
        close();
    }

    @Override
    public void close() {
        if (!shared) {
            channel.close();
        }
        gone.run();
    }

    @Override
    public CompletableFuture<Void> closeWith(ByteBuf last) {
        CompletableFuture<Void> left = new CompletableFuture<>();
        write(last).addListener(written -> {
            close();
            left.complete(null);
        });
        flush();
        return left;
    }
}
