package org.tamanoir.client.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ConnectionUse;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.KeptConnections.Turn;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;

/** A TCP connection to a node that carries one stream after another; on its event loop only. {@link NodeConnections} makes them. */
public final class NodeConnection implements PacketSink {
    /** How long the node may take to close its side after this one has been finished. */
    private static final long CLOSING_SECONDS = 2;

    private final SocketChannel channel;
    private final NodeConnections pool;
    private final Turn<NodeConnection> turn;
    /** The present one; null between two. */
    private Stream stream;
    private boolean writeFailed;

    /** A stream on the connection. */
    public interface Stream extends PacketSink {
        /** The node gave the connection up before it saw the stream: send it again, on a new connection. Nothing else comes after this. */
        void onUnseen();
    }

    NodeConnection(SocketChannel channel, NodeConnections pool, boolean byTls) {
        this.channel = channel;
        this.pool = pool;
        this.turn = new Turn<>(this, byTls);
        channel.pipeline().addLast(new PacketInbound(this));
    }

    /** Begins a stream, on a connection that is new or has been {@linkplain NodeConnections#idle() taken}. */
    public void begin(Stream newStream) {
        turn.begin();
        stream = newStream;
    }

    // What a stream needs of its channel.

    /** Queues a buffer; the reference is given away. */
    public ChannelFuture write(ByteBuf buffer) {
        return channel.write(buffer);
    }

    public void flush() {
        channel.flush();
    }

    /** Asks for one more read. */
    public void read() {
        channel.read();
    }

    public boolean isWritable() {
        return channel.isWritable();
    }

    public ByteBufAllocator allocator() {
        return channel.alloc();
    }

    /** Of the node. */
    public InetSocketAddress peer() {
        return channel.remoteAddress();
    }

    public EventLoop loop() {
        return channel.eventLoop();
    }

    /** Ends this direction of the stream after everything that was written: by an end packet with TLS, or where the node takes another stream. */
    public ChannelFuture finish() {
        return turn.end() ? channel.writeAndFlush(PacketBuilder.control(channel.alloc(), ConnectionUse.END)) : Closing.finish(channel);
    }

    /**
     * A write has failed: reads what the node may have said before, its reason most of all. The kernel gives a reset to whoever meets it
     * first; after a write has had it a read finds an end, which is none.
     */
    public void onWriteFailure() {
        writeFailed = true;
        turn.spoil();
        channel.read();
    }

    /** The stream is over, both directions cleanly: the connection waits for another, or is closed. */
    public void release() {
        stream = null;
        if (pool.keep(turn)) {
            channel.read();
        } else {
            retire();
        }
    }

    /** The stream is given up: the node sees a reset. */
    public void reset() {
        turn.spoil();
        stream = null;
        Closing.reset(channel);
    }

    /** Closes gently: what was sent before arrives, and what comes is thrown away. */
    public void retire() {
        turn.spoil();
        stream = null;
        if (!channel.isOutputShutdown()) {
            Closing.hangUp(channel);
        }
        if (channel.isInputShutdown()) {
            Closing.close(channel);
        } else {
            channel.read();
            channel.eventLoop().schedule(() -> Closing.close(channel), CLOSING_SECONDS, TimeUnit.SECONDS);
        }
    }

    // What comes from the node.

    @Override
    public void onPacket(Packet packet) {
        if (!packet.isControl()) {
            turn.onPacket();
            stream.onPacket(packet);
        } else if (turn.onControl(packet.connectionUse()) && stream != null) {
            stream.onEnd();
        }
    }

    @Override
    public void onReadComplete() {
        if (stream != null) {
            stream.onReadComplete();
        } else {
            channel.read();
        }
    }

    @Override
    public void onEnd() {
        if (writeFailed) {
            onFailure(new AnepException(ErrorCode.CONNECTION_LOST, "the node has reset the connection"));
            return;
        }
        Stream present = stream;
        boolean unseen = turn.isUnseen();
        boolean ended = turn.inEnded();
        turn.spoil();
        if (present == null) {
            pool.remove(turn);
            retire();
        } else if (unseen) {
            present.onUnseen();
            retire();
        } else if (!ended) {
            present.onEnd();
        }
    }

    @Override
    public void onFailure(AnepException failure) {
        turn.spoil();
        if (stream != null) {
            stream.onFailure(failure);
        } else {
            pool.remove(turn);
            Closing.reset(channel);
        }
    }

    @Override
    public void onWritabilityChanged() {
        if (stream != null) {
            stream.onWritabilityChanged();
        }
    }
}
