package org.tamanoir.node.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A TCP connection without a socket, as far as a {@link TcpLeg} can tell: the test is the peer, the system and the clock. Reads go through
 * the leg's allocator as those of Netty's epoll do; what a close means for the peer follows SO_LINGER as Linux has it.
 *
 * <p>Nothing is read outside {@link #settle} and the {@code peer…} methods, which call it.
 */
public final class LegChannel extends EmbeddedChannel implements DuplexChannel {
    public static final InetSocketAddress PEER = new InetSocketAddress("192.0.2.1", 3322);

    /** How the peer sees the connection. */
    public enum Ending { OPEN, FIN, RESET }

    private final Map<ChannelOption<?>, Object> options = new HashMap<>();
    private final MockTicker clock;
    private final LoopMemory memory;
    private final KeptLegs kept;
    private Lingering lingering = new Lingering(Lingering.MOST);
    /** Sent by the peer and not read; the peer has sent FIN behind it. */
    private final ByteBuf arrived = Unpooled.buffer();
    private boolean peerEnded;
    /** What the peer has got, and the code point of each octet. */
    private final ByteBuf got = Unpooled.buffer();
    private final ByteBuf codePoints = Unpooled.buffer();
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
    private final List<ByteBuf> written = new ArrayList<>();
    /** Buffers that were read to and do not belong to the account. */
    private final List<ByteBuf> thrownAway = new ArrayList<>();
    private long takes = Long.MAX_VALUE;
    private boolean inputShut;
    private boolean outputShut;
    private Ending ending = Ending.OPEN;
    private boolean writing;
    private final ChannelConfig config = new Recording();

    /** A connection with a clock of its own and plenty of memory. */
    public LegChannel() {
        this(memory(64 << 20), Ticker.newMockTicker());
    }

    /** Connections with the same clock and memory belong to the same loop in all but {@link #settle}. */
    public LegChannel(LoopMemory memory, MockTicker clock) {
        super(builder().register(false).ticker(clock));
        this.memory = memory;
        this.clock = clock;
        try {
            register();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        this.kept = new KeptLegs(eventLoop());
    }

    /** Refused connections are counted together with those of another. */
    LegChannel lingersWith(LegChannel other) {
        lingering = other.lingering;
        return this;
    }

    /** An account that has so many octets. */
    public static LoopMemory memory(long octets) {
        return new LoopMemory(() -> octets);
    }

    /** Ends the connection and checks that nobody holds a buffer that was read, written or allocated here. */
    public void assertNothingLeaks() {
        close();
        settle();
        memory.tidy();
        assertThat(written).as("written and not released").allMatch(buffer -> buffer == Unpooled.EMPTY_BUFFER || memory.counts(buffer) || buffer.refCnt() == 0);
        assertThat(thrownAway).as("read and not released").allMatch(buffer -> buffer.refCnt() == 0);
        assertThat(allocator.metric().usedHeapMemory() + allocator.metric().usedDirectMemory()).as("octets of the channel's allocator").isZero();
        assertThat(memory.retained()).as("octets of the account").isZero();
        memory.close();
        checkException();
    }

    public LoopMemory memory() {
        return memory;
    }

    KeptLegs kept() {
        return kept;
    }

    /** The leg of this connection, as {@link TcpSockets.NewLeg#leg} makes it. */
    public TcpLeg leg(Stage sink, TcpEvents owner) {
        TcpLeg leg = new TcpLeg(this, sink, memory, null, null, lingering);
        leg.events(owner);
        pipeline().addLast(leg);
        return leg;
    }

    /** The leg of a connection that is offered for further streams, as {@link TcpSockets.NewLeg#offeredLeg} makes it. */
    public TcpLeg offeredLeg(Stage sink, TcpEvents owner) {
        TcpLeg leg = leg(null, owner);
        leg.offer(kept);
        leg.flowTo(sink);
        return leg;
    }

    /** The leg again if its stream is over and the connection was kept, as {@link TcpSockets#kept} gives it for another stream; else null. */
    public TcpLeg keptLeg() {
        TcpLeg leg = kept.take(PEER);
        if (leg != null) {
            leg.offerAgain();
        }
        return leg;
    }

    // The peer.

    /** The peer sends; the buffer stays the caller's. */
    public void peerSends(ByteBuf octets) {
        arrived.writeBytes(octets, octets.readerIndex(), octets.readableBytes());
        settle();
    }

    public void peerSends(int... octets) {
        for (int octet : octets) {
            arrived.writeByte(octet);
        }
        settle();
    }

    /** FIN. Netty's epoll tries to read on to it even from a connection that is not to be read. */
    public void peerEnds() {
        peerEnded = true;
        turn();
        settle();
    }

    /** The peer takes so many more octets of what is written, and then none. */
    public void peerTakes(long octets) {
        takes = octets;
        // As Netty does when the socket has room: what is not flushed stays.
        if (isOpen()) {
            doWrite(unsafe().outboundBuffer());
        }
        settle();
    }

    /** RST; nobody hears it if the connection is closed. */
    public void peerResets() {
        if (!isOpen()) {
            return;
        }
        pipeline().fireExceptionCaught(new IOException("recvAddress(..) failed with error(-104): Connection reset by peer"));
        close();
        settle();
    }

    /** What the peer has got so far and not been asked for; the caller need not release it. */
    public ByteBuf got() {
        ByteBuf now = got.copy();
        got.clear();
        codePoints.clear();
        return now;
    }

    /** The code points of what the peer has got since {@link #got}, one octet for each octet. */
    public ByteBuf codePoints() {
        return codePoints.copy();
    }

    /** Octets that the peer has sent and that are not read. */
    public int unread() {
        return arrived.readableBytes();
    }

    /** Every buffer that was written, in order; most have no reference any more. */
    public List<ByteBuf> written() {
        return written;
    }

    /** How this side has ended the connection: FIN after all that was written, or a reset. */
    public Ending ending() {
        return ending;
    }

    /** What the peer would see if this process were killed now. */
    public Ending ifKilled() {
        return lingers(0) ? Ending.RESET : Ending.FIN;
    }

    // The system and the clock.

    /** Time passes on the clock of this connection, which may be that of others too. */
    public void passes(long millis) {
        clock.advance(millis, TimeUnit.MILLISECONDS);
        settle();
    }

    /** The loop does what there is to do: tasks, timers, reads. */
    public void settle() {
        do {
            runPendingTasks();
        } while (isOpen() && config.isAutoRead() && turn());
    }

    /** One turn of reading, as AbstractEpollStreamChannel does it; returns whether anything has come of it. */
    @SuppressWarnings("deprecation") // the channel names the deprecated type
    private boolean turn() {
        if (inputShut || !isOpen() || !arrived.isReadable() && !peerEnded) {
            return false;
        }
        RecvByteBufAllocator.Handle handle = unsafe().recvBufAllocHandle();
        handle.reset(config);
        boolean any = false;
        boolean end = false;
        try {
            do {
                ByteBuf room = handle.allocate(alloc());
                if (!memory.counts(room)) {
                    thrownAway.add(room);
                }
                handle.attemptedBytesRead(room.writableBytes());
                int octets = Math.min(room.writableBytes(), arrived.readableBytes());
                room.writeBytes(arrived, octets);
                end = octets == 0 && peerEnded;
                handle.lastBytesRead(end ? -1 : octets);
                if (octets == 0) {
                    room.release();
                    break;
                }
                any = true;
                handle.incMessagesRead(1);
                pipeline().fireChannelRead(room);
            } while (isOpen() && handle.continueReading());
            handle.readComplete();
            pipeline().fireChannelReadComplete();
        } catch (RuntimeException e) {
            handle.readComplete();
            pipeline().fireChannelReadComplete();
            pipeline().fireExceptionCaught(e);
        }
        arrived.discardReadBytes();
        if (end) {
            inputShut = true;
            pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        }
        return any && isOpen();
    }

    @Override
    protected Object filterOutboundMessage(Object message) {
        written.add((ByteBuf) message);
        return message;
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer out) {
        if (writing || out == null) {
            return;
        }
        writing = true;
        for (Object message = out.current(); message != null; message = out.current()) {
            ByteBuf next = (ByteBuf) message;
            int octets = (int) Math.min(takes, next.readableBytes());
            if (octets == 0 && next.isReadable()) {
                break;
            }
            if (outputShut && octets > 0) {
                throw new IllegalStateException("written behind FIN");
            }
            got.writeBytes(next, next.readerIndex(), octets);
            for (int i = 0; i < octets; i++) {
                codePoints.writeByte((int) options.getOrDefault(ChannelOption.IP_TOS, 0) >> UdpLeg.DSCP_SHIFT);
            }
            takes -= takes == Long.MAX_VALUE ? 0 : octets;
            if (octets == next.readableBytes()) {
                out.remove();
            } else {
                out.removeBytes(octets);
            }
        }
        writing = false;
    }

    /** A close with unread octets resets the connection whatever SO_LINGER says (RFC 2525 section 2.17). */
    @Override
    protected void doClose() throws Exception {
        super.doClose();
        if (lingers(0) || arrived.isReadable()) {
            ending = Ending.RESET;
        } else if (ending == Ending.OPEN) {
            ending = Ending.FIN;
        }
        inputShut = true;
        outputShut = true;
    }

    private boolean lingers(int value) {
        return options.getOrDefault(ChannelOption.SO_LINGER, -1).equals(value);
    }

    @Override
    protected SocketAddress remoteAddress0() {
        return PEER;
    }

    @Override
    public ChannelConfig config() {
        return config == null ? super.config() : config;
    }

    /** Takes the options of a socket too. */
    private final class Recording extends DefaultChannelConfig {
        Recording() {
            super(LegChannel.this);
            setAllocator(LegChannel.this.allocator);
        }

        @Override
        public <T> boolean setOption(ChannelOption<T> option, T value) {
            return super.setOption(option, value) || options.put(option, value) != null || true;
        }
    }

    @Override
    public boolean isInputShutdown() {
        return inputShut;
    }

    @Override
    public boolean isOutputShutdown() {
        return outputShut;
    }

    @Override
    public boolean isShutdown() {
        return inputShut && outputShut;
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        if (unsafe().outboundBuffer() != null && unsafe().outboundBuffer().size() > 0) {
            throw new IllegalStateException("FIN in front of what waits");
        }
        outputShut = true;
        ending = Ending.FIN;
        return promise.setSuccess();
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput() {
        throw new UnsupportedOperationException();
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ChannelFuture shutdown() {
        throw new UnsupportedOperationException();
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        throw new UnsupportedOperationException();
    }
}
