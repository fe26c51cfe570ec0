package org.tamanoir.node.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.MalformedPacketException;

/**
 * One of the two TCP connections of a stream: reads packets into a sink, writes buffers, and tells its owner what happens. Everything
 * runs on the connection's event loop.
 */
public final class TcpLeg extends ChannelInboundHandlerAdapter {
    /** What the owner of a leg is told; each call comes on the leg's event loop. */
    public interface Events {
        /** The peer has finished sending; {@code clean} is false if it stopped inside a packet. */
        void ended(boolean clean);

        /**
         * The connection is gone, or an error has made it useless. Comes at most once, and never after the owner has ended the leg.
         *
         * @param cause a {@link MalformedPacketException} if the peer sent what is no packet
         */
        void broken(AnepException cause);

        /** Everything written has been handed to the system, and the peer is told that nothing more comes; see {@link TcpLeg#finish}. */
        void finished();

        /** There is room again, or no more room, for what is written to this leg. */
        void writable(boolean writable);
    }

    /** How long a refused peer may go on sending before the connection is cut; its octets are thrown away. */
    private static final long LINGER_MILLIS = 2000;
    /** Values of SO_LINGER: a close resets the connection, or lets what waits be delivered. */
    private static final int RESET = 0;
    private static final int DELIVER = -1;

    private final Channel channel;
    private final PacketReader reader;
    private Events events;
    private boolean ended;
    private boolean gone;
    private boolean finished;
    private boolean unflushed;
    private int dscp;
    private long sent;
    private long lastMoved = System.nanoTime();

    /**
     * @param sink        where packets go until {@link #flowTo}
     * @param pendingMost octets that may wait to be written before the leg says that it has no room
     */
    TcpLeg(Channel channel, PacketSink sink, int pendingMost) {
        this.channel = channel;
        this.reader = new PacketReader(sink);
        channel.config().setRecvByteBufAllocator(new ReadBudget(this::nextRead));
        // Until a leg is ended in good order its peer must see a reset, also if this process is killed: a stream that was cut must
        // not look like one that has ended.
        onClose(RESET);
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(pendingMost / 2, pendingMost));
    }

    /**
     * Where to read to. A peer that has finished makes Netty's epoll read on to the end whatever {@code autoRead} says
     * (docs/decisions/0003); what would be read then has no bound here, so a paused leg ends the reading by an exception.
     */
    private ByteBuf nextRead() {
        if (isPaused()) {
            throw ReadPaused.INSTANCE;
        }
        return reader.nextRead();
    }

    /** Names the owner; must be done before the first event can come. */
    public void events(Events events) {
        this.events = events;
    }

    public EventLoop loop() {
        return channel.eventLoop();
    }

    public InetSocketAddress peer() {
        return (InetSocketAddress) channel.remoteAddress();
    }

    /** Sends further packets to another sink, and from now on reads into the big buffers of the loop. */
    public void flowTo(PacketSink sink) {
        reader.flowTo(sink);
    }

    /** Takes what the peer sends as payload and makes packets of it. */
    public void wrapRaw(int flags, int typeId) {
        reader.wrapRaw(flags, typeId);
    }

    /** The code point of what is sent from now on, 0 to 63. A segment may hold octets of before and after. */
    public void mark(int codePoint) {
        if (codePoint != dscp && !gone) {
            flush();
            channel.config().setOption(ChannelOption.IP_TOS, codePoint << UdpLeg.DSCP_SHIFT);
            dscp = codePoint;
        }
    }

    /** Hands no further packet over until {@link #proceed}, and reads no more; may be called while a packet is being handed over. */
    public void stop() {
        reader.stop();
        pauseReading(true);
    }

    /** Goes on after {@link #stop}: first with what is read already. */
    public void proceed() {
        pauseReading(false);
        guarded(reader::proceed);
        if (!gone) {
            reader.readComplete();
        }
        if (ended && !gone && !reader.isStopped()) {
            events.ended(reader.unparsed() == 0);
        }
    }

    /** Stops or resumes reading from the socket. */
    public void pauseReading(boolean pause) {
        if (pause || !ended) {
            channel.config().setAutoRead(!pause);
        }
    }

    /** Whether the peer is being made to wait. */
    public boolean isPaused() {
        return !channel.config().isAutoRead();
    }

    /** Octets that are read and wait to be handed over, or are the beginning of a packet. */
    public int unparsed() {
        return reader.unparsed();
    }

    /** Gives the receive buffer of a quiet connection back; call it now and then. */
    public void shrink() {
        reader.shrink();
    }

    /** Octets read from the socket. */
    public long received() {
        return reader.received();
    }

    /** Packets that have been handed over. */
    public long packets() {
        return reader.packets();
    }

    /** Octets given to the socket, waiting ones included. */
    public long sent() {
        return sent;
    }

    /** When an octet was last read or written, {@link System#nanoTime()}. */
    public long lastMoved() {
        return lastMoved;
    }

    /** Puts a buffer behind what waits to be written; the reference is given away. Nothing leaves before {@link #flush}. */
    public void write(ByteBuf buffer) {
        if (gone) {
            buffer.release();
            return;
        }
        sent += buffer.readableBytes();
        unflushed = true;
        channel.write(buffer, channel.voidPromise());
    }

    public void flush() {
        if (unflushed) {
            unflushed = false;
            lastMoved = System.nanoTime();
            channel.flush();
        }
    }

    /** Whether there is room for more. */
    public boolean isWritable() {
        return channel.isWritable();
    }

    /** Octets that wait for the peer. */
    public long pending() {
        ChannelOutboundBuffer waiting = channel.unsafe().outboundBuffer();
        return waiting == null ? 0 : waiting.totalPendingWriteBytes();
    }

    /** Writes what waits and then finishes sending; the peer may go on. */
    public void finish() {
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> {
            if (written.isSuccess() && !gone) {
                onClose(DELIVER);
                ((DuplexChannel) channel).shutdownOutput();
                finished = true;
                events.finished();
                closeIfDone();
            }
        });
    }

    /** Both directions have ended: closes when everything is written. */
    public void close() {
        end();
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> channel.close());
    }

    /**
     * Says a last word and closes. What the peer still sends is thrown away for a moment: closing at once would reset the connection,
     * and the word would be lost.
     */
    public void refuse(ByteBuf lastWord) {
        end();
        reader.discard();
        pauseReading(false);
        onClose(DELIVER);
        channel.writeAndFlush(lastWord).addListener(written -> ((DuplexChannel) channel).shutdownOutput());
        loop().schedule(() -> channel.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Cuts the connection so that the peer sees a reset and cannot take it for an orderly end. */
    public void abort() {
        end();
        onClose(RESET);
        channel.close();
    }

    /**
     * Closes a connection whose both directions have ended, though the stream may go on at its other leg. Left open it would wake its
     * loop without end: the system reports a hang-up for as long as the descriptor lives (netty issue 16683).
     */
    private void closeIfDone() {
        if (ended && finished && !gone) {
            end();
            channel.close();
        }
    }

    /** What the system does with a close: {@link #RESET} or {@link #DELIVER}. */
    private void onClose(int linger) {
        try {
            channel.config().setOption(ChannelOption.SO_LINGER, linger);
        } catch (ChannelException e) {
            // The peer was faster and the socket is closed: there is nobody left to tell.
        }
    }

    private void end() {
        gone = true;
        reader.stop();
    }

    private void broken(AnepException cause) {
        if (!gone) {
            end();
            events.broken(cause);
        }
    }

    private void guarded(Runnable reading) {
        try {
            reading.run();
        } catch (MalformedPacketException e) {
            broken(e);
        }
    }

    /** Not an error: tells the transport that this leg reads nothing now. */
    private static final class ReadPaused extends RuntimeException {
        private static final ReadPaused INSTANCE = new ReadPaused();

        private ReadPaused() {
            super("the leg is paused", null, false, false);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        lastMoved = System.nanoTime();
        guarded(() -> reader.read((ByteBuf) message));
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (!gone) {
            reader.readComplete();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (!gone) {
            events.writable(channel.isWritable());
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event != ChannelInputShutdownEvent.INSTANCE || ended) {
            return;
        }
        ended = true;
        if (gone) {
            channel.close();
        } else if (!reader.isStopped()) {
            events.ended(reader.unparsed() == 0);
            closeIfDone();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        broken(new AnepException(ErrorCode.CONNECTION_LOST, "the connection ended before the stream did"));
        reader.release();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause == ReadPaused.INSTANCE) {
            return;
        }
        broken(cause instanceof AnepException known ? known
                : new AnepException(ErrorCode.CONNECTION_LOST, String.valueOf(cause.getMessage()), cause));
        if (!(cause instanceof AnepException)) {
            channel.close();
        }
    }
}
