package org.tamanoir.node.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ConnectionUse;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.identity.Identity;
import org.tamanoir.identity.tls.NettyTls;

/** One of the two TCP connections of a stream: reads packets into a sink, writes buffers, and tells its owner what happens. Everything runs on the connection's event loop. */
public final class TcpLeg extends ChannelInboundHandlerAdapter {
    private final Channel channel;
    private final SslHandler tls;
    private final Lingering lingering;
    private final PacketReader reader;
    private final TcpInput input;
    private final PendingWrites out;
    private final Reuse reuse;
    private final ConnectionOptions options;
    private TcpEvents events;
    private boolean ended;
    private boolean gone;
    private boolean finished;
    private long sent;

    /**
     * @param sink  where packets go until {@link #flowTo}
     * @param tls   what encrypts the connection, after its handshake; null for none
     * @param reads the allocator that the channel has already; null for none
     * @param lingering the refused connections of the loop
     */
    TcpLeg(Channel channel, Stage sink, LoopMemory memory, SslHandler tls, TcpInput.Reads reads, Lingering lingering) {
        this.channel = channel;
        this.options = new ConnectionOptions(channel);
        this.lingering = lingering;
        this.tls = tls;
        this.out = new PendingWrites(channel, tls == null ? channel : channel.pipeline().context(tls), memory);
        this.reuse = new Reuse(memory, tls != null);
        this.reader = new PacketReader(sink, memory, this::controlled);
        this.input = new TcpInput(channel, tls != null, reader, reads, this);
        // Until a leg is ended cleanly its peer must see a reset, also if this process is killed: a stream that was cut must
        // not look like one that has ended.
        options.onClose(ConnectionOptions.RESET);
    }

    /** Names the owner; must be done before the first event can come. */
    public void events(TcpEvents owner) {
        events = owner;
    }

    public EventLoop loop() {
        return channel.eventLoop();
    }

    /** The names that the peer has proven; empty without TLS or without a certificate. */
    public List<String> names() {
        return tls == null ? List.of() : Identity.names(tls.engine().getSession());
    }

    public InetSocketAddress local() {
        return (InetSocketAddress) channel.localAddress();
    }

    public InetSocketAddress peer() {
        return (InetSocketAddress) channel.remoteAddress();
    }

    /** The stream is open: sends further packets to another sink, and reads more at a time. */
    public void flowTo(Stage sink) {
        reader.flowTo(sink);
    }

    /** Takes what the peer sends as payload and makes packets of it. */
    public void wrapRaw(int typeId) {
        reader.wrapRaw(typeId);
    }

    /** The code point of what is sent from now on, 0 to 63. A segment may hold octets of before and after. */
    public void mark(int newCodePoint) {
        if (newCodePoint != options.codePoint() && !gone) {
            flush();
            options.mark(newCodePoint);
        }
    }

    public int codePoint() {
        return options.codePoint();
    }

    /** Has the kernel treat the connection so until its stream ends. @return null if it does or the connection is closed; otherwise why not */
    public String tune(SocketTuning wanted) {
        String problem = gone ? null : options.tune(wanted);
        return channel.isOpen() ? problem : null;
    }

    public SocketTuning tuning() {
        return options.tuning();
    }

    /** Keeps the connection for no other stream. */
    public void lastStream() {
        reuse.spoil();
    }

    /** Hands no further packet over until {@link #proceed}, and reads no more; may be called while a packet is being handed over. */
    public void stop() {
        reader.stop();
    }

    /** Goes on after {@link #stop}: first with what is read already. */
    public void proceed() {
        pauseReading(false);
        input.guarded(reader::proceed);
        input.resume();
        if (ended && !gone && !reader.isStopped() && !reader.isEnded()) {
            events.ended(reader.unparsed() == 0);
        }
    }

    /** Stops or resumes reading from the socket. */
    public void pauseReading(boolean pause) {
        input.pause(pause);
    }

    /** Whether the peer is being made to wait. */
    public boolean isPaused() {
        return input.isPaused();
    }

    /** Octets of memory that this leg holds for what has not gone on, both ways. */
    public long retained() {
        return reader.retained() + pending() + input.retained();
    }

    /** What it holds is in buffers of its own size afterwards; call it now and then. */
    public void tidy() {
        reader.moveOut();
        out.moveOut();
    }

    /** Reads what the kernel says of the connection; see {@link TcpInfo#read}. */
    public boolean readTcpInfo(ByteBuffer into) {
        return !gone && TcpInfo.read(channel, into);
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

    /** Octets that the peer's side of the system has taken. */
    public long written() {
        return sent - pending() + out.progress();
    }

    /** Puts a buffer behind what waits to be written; the reference is given away. Nothing leaves before {@link #flush}. */
    public void write(ByteBuf buffer) {
        if (gone) {
            buffer.release();
            return;
        }
        sent += buffer.readableBytes();
        reuse.written(buffer);
        accepting();
        out.add(buffer);
    }

    public void flush() {
        if (!gone && out.flush() && !gone) {
            events.room(!out.waits());
        }
    }

    /** Whether the peer has not taken everything that was flushed: then nothing more should be read for it. */
    public boolean waits() {
        return out.waits();
    }

    /** Octets that wait for the peer. */
    public long pending() {
        return out.octets();
    }

    /** Writes what waits and then finishes sending; the peer may go on. */
    public void finish() {
        flush();
        out.seal();
        boolean byPacket = reuse.endsByPacket();
        accepting();
        channel.writeAndFlush(reuse.lastWords(byPacket, reader.isEnded(), out, channel.alloc())).addListener(written -> {
            if (written.isSuccess() && !gone) {
                if (!byPacket) {
                    options.onClose(ConnectionOptions.DELIVER);
                    shutdownOutput();
                }
                finished = true;
                events.finished();
                closeIfDone();
            } else if (!written.isSuccess() && tls != null) {
                // The peer has ended both directions by TLS; the connection itself does not fail.
                exceptionCaught(null, written.cause());
            }
        });
    }

    /** Both directions have ended: closes when everything is written. */
    public void close() {
        flush();
        out.seal();
        end();
        options.onClose(ConnectionOptions.DELIVER);
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> channel.close());
    }

    /**
     * Says a last word and closes. What the peer still sends is thrown away for a moment: closing at once would reset the connection,
     * and the word would be lost.
     */
    public void refuse(ByteBuf lastWord) {
        flush();
        out.seal();
        end();
        reader.discard();
        pauseReading(false);
        options.onClose(ConnectionOptions.DELIVER);
        boolean lingers = lingering.begin(channel);
        channel.writeAndFlush(lastWord).addListener(written -> {
            if (ended || !lingers) {
                // Both sides have finished: the system would report a hang-up again and again until the descriptor is closed.
                channel.close();
            } else {
                shutdownOutput();
            }
        });
    }

    /** Cuts the connection so that the peer sees a reset and cannot take it for an orderly end. */
    public void abort() {
        end();
        options.onClose(ConnectionOptions.RESET);
        cut();
    }

    /** Closes the connection and says nothing before: with TLS a last word would make it look like a good end. */
    private void cut() {
        if (tls == null) {
            channel.close();
        } else {
            NettyTls.cut(channel, tls);
        }
    }

    private void shutdownOutput() {
        if (tls == null) {
            ((DuplexChannel) channel).shutdownOutput();
        } else {
            NettyTls.finish(channel, tls);
        }
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

    private void end() {
        gone = true;
        reader.stop();
        reuse.forget();
    }

    // One stream after another, docs/anep.md.

    /** This node has opened the connection and can keep it: what it opens the stream with has to say so. */
    void offer(KeptLegs keeper) {
        reuse.offer(this, keeper);
    }

    /** Another stream begins on a connection that was kept. */
    void offerAgain() {
        reuse.offerAgain();
        reader.restart();
    }

    /** The peer offers the connection for further streams, and this node takes the offer: it says so with the first octets back. */
    public void accept() {
        reuse.accept();
    }

    /** What this leg has read of its stream has all been delivered: when the other direction ends too, the peer may open another. */
    public void delivered() {
        reuse.delivered();
    }

    private void accepting() {
        if (reuse.saysAccept()) {
            out.add(control(ConnectionUse.ACCEPT));
        }
    }

    private ByteBuf control(ConnectionUse use) {
        return PacketBuilder.control(channel.alloc(), use);
    }

    /** What the peer says of the connection. */
    private void controlled(ConnectionUse use) {
        if (reuse.heard(use, reader.isEnded())) {
            reader.end();
            events.ended(true);
        }
    }

    /**
     * Both directions of the stream have ended: keeps the connection for another one, or closes it.
     *
     * @return whether the peer may open another stream on it; then {@link #reopen} must follow
     */
    public boolean release() {
        if (!gone && !ended && !reader.isEnded()) {
            // A service has ended what the peer may still be sending.
            giveUp();
        }
        if (gone) {
            return false;
        }
        mark(0);
        if (tune(SocketTuning.NONE) != null) {
            reuse.spoil();
        }
        boolean again = !ended && reuse.isAgain(reader.isEnded());
        if (!again && !reuse.isKept()) {
            close();
            return false;
        }
        if (again && !reuse.hasSaidReady()) {
            channel.writeAndFlush(control(ConnectionUse.READY), channel.voidPromise());
        }
        reuse.restart();
        out.unseal();
        finished = false;
        sent = 0;
        pauseReading(false);
        return again;
    }

    /** The peer may open another stream, whose first packet goes to that sink. */
    public void reopen(Stage sink, TcpEvents owner) {
        events = owner;
        reader.reopen(sink);
    }

    /** Takes no further stream. A connection that waits for one is ended, and what comes all the same is thrown away for a moment. */
    public void giveUp() {
        reuse.spoil();
        if (!gone) {
            end();
            reader.discard();
            options.onClose(ConnectionOptions.DELIVER);
            if (lingering.begin(channel)) {
                shutdownOutput();
            } else {
                channel.close();
            }
        }
    }

    public boolean isOpen() {
        return channel.isOpen();
    }

    void broken(AnepException cause) {
        if (!gone) {
            reuse.spoil();
            end();
            events.broken(cause);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        reuse.forget();
        input.read((ByteBuf) message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        input.readComplete();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (out.roomChanged() && !gone) {
            events.room(true);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (ended || input.endsBehind()) {
            return;
        }
        boolean shut = event == ChannelInputShutdownEvent.INSTANCE;
        if (event == SslCloseCompletionEvent.SUCCESS || shut && (tls == null || reader.isEnded())) {
            input.ended();
        } else if (shut) {
            // RFC 8446 section 6.1: without close_notify, and without an end by a packet, somebody else may have ended it.
            broken(new AnepException(ErrorCode.CONNECTION_LOST, "the peer ended the connection without saying so by TLS"));
            cut();
        }
    }

    /** Everything that the peer has sent before its end was read. */
    void inputEnded() {
        ended = true;
        boolean unseen = !gone && reuse.isUnseen() && reader.received() == 0;
        reuse.spoil();
        if (gone) {
            channel.close();
        } else if (unseen) {
            ByteBuf again = reuse.takeUnheard();
            close();
            events.unseen(again);
        } else if (reader.isEnded() && !reuse.isIdle()) {
            closeIfDone();
        } else if (!reader.isStopped()) {
            events.ended(reader.unparsed() == 0);
            closeIfDone();
        }
    }

    /** Whether nothing is to be handed over any more. */
    boolean isGone() {
        return gone;
    }

    /** Whether the peer has ended its direction. */
    boolean hasEnded() {
        return ended;
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        broken(new AnepException(ErrorCode.CONNECTION_LOST, "the connection ended before the stream did"));
        out.drop();
        input.drop();
        reader.release();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause == TcpInput.ReadPaused.INSTANCE) {
            return;
        }
        broken(cause instanceof AnepException known ? known
                : new AnepException(ErrorCode.CONNECTION_LOST, TcpSockets.reason(cause), cause));
        if (!(cause instanceof AnepException)) {
            cut();
        }
    }
}
