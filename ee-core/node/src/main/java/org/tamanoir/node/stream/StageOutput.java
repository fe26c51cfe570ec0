package org.tamanoir.node.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Framing;
import org.tamanoir.anep.MalformedPacketException;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.node.service.CallBuffers;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.transport.PacketSink;
import org.tamanoir.service.Output;

/** What one handler emits in one direction: checked, bounded, and handed to the next stage at once, so that the order holds. */
final class StageOutput implements Output {
    /** Octets that one call may emit without asking for room; a service that goes on is not looking at what {@code emit} returns. */
    private static final long MOST_UNASKED = 16L << 20;
    private static final int MOST_DSCP = 63;

    private final RunningService service;
    private final StreamInfo stream;
    private final PacketSink next;
    private final Way way;
    private final CallBuffers buffers;
    private final Marking marks;
    /** The code point that the handler has set, or -1; and that of the packet in hand when it came. */
    private int mark = -1;
    private int came;
    private long nanos;
    private long unasked;
    /** Of this direction: the handler is being told of the end, keeps it back, has let it go on. */
    private boolean ending;
    private boolean held;
    private boolean ended;

    /** @param marks of this direction; null where the handler is on another thread than the loop and may set none */
    StageOutput(RunningService service, StreamInfo stream, PacketSink next, Way way, Marking marks) {
        this.marks = marks;
        this.service = service;
        this.stream = stream;
        this.next = next;
        this.way = way;
        this.buffers = new CallBuffers(service);
    }

    /** A call begins. @param read when what it is about was read */
    void begin(long read) {
        nanos = read;
        came = marks == null ? 0 : marks.now();
        unasked = 0;
        buffers.reset();
    }

    /** The handler is about to be told of the end. */
    void beginEnd() {
        unasked = 0;
        buffers.reset();
        ending = true;
        beginOwn();
    }

    /** Tasks come also while the peer is made to wait; so all that they emit until there is room again counts together. */
    void beginTask() {
        nanos = System.nanoTime();
        beginOwn();
        if (way.isWritable()) {
            unasked = 0;
            buffers.reset();
        }
    }

    /** What is emitted comes of no packet. */
    private void beginOwn() {
        if (marks != null) {
            marks.begin();
            came = marks.now();
        }
    }

    /** A packet goes on that the handler has passed or emitted: it has the handler's code point, or that with which it came. */
    void stamp() {
        if (marks != null) {
            marks.set(mark >= 0 ? mark : came);
        }
    }

    /** Whether the handler has set a code point, which then is that of now. */
    boolean stampOwn() {
        if (marks != null && mark >= 0) {
            marks.set(mark);
            return true;
        }
        return false;
    }

    /** A packet goes on in spite of the handler: it has the code point with which it came. */
    void unstamp() {
        if (marks != null) {
            marks.set(came);
        }
    }

    @Override
    public void mark(int dscp) {
        if (marks == null) {
            throw new UnsupportedOperationException("a heavy service sets no code points");
        }
        if (dscp < -1 || dscp > MOST_DSCP) {
            throw new IllegalArgumentException("the code point " + dscp + " is not from 0 to " + MOST_DSCP + ", nor -1");
        }
        mark = dscp;
    }

    /** Whether the end is to go on now: once. */
    boolean mayEnd() {
        return ending && !held && endAnyway();
    }

    /** Ends the direction whatever the handler keeps back; false if it has ended before. */
    boolean endAnyway() {
        boolean now = !ended;
        ended = true;
        return now;
    }

    boolean isEnding() {
        return ending;
    }

    @Override
    public boolean emit(Packet packet) {
        return pass(packet.buffer(), packet.offset(), packet.length());
    }

    @Override
    public boolean emit(ByteBuf packet) {
        try {
            return pass(packet, packet.readerIndex(), packet.readableBytes());
        } finally {
            packet.release();
        }
    }

    private boolean pass(ByteBuf buffer, int offset, int length) {
        if (ended) {
            throw new AnepException(ErrorCode.SERVICE_BAD_OUTPUT, service + " emitted something after the end of its direction");
        }
        if (unasked > MOST_UNASKED) {
            throw new AnepException(ErrorCode.SERVICE_BAD_OUTPUT, service + " emitted more than " + MOST_UNASKED
                    + " octets in one call without room for them");
        }
        try {
            Framing.checkDatagram(buffer, offset, length);
        } catch (MalformedPacketException e) {
            throw new AnepException(ErrorCode.SERVICE_BAD_OUTPUT, service + " emitted something that is no packet: " + e.getMessage(), e);
        }
        stamp();
        next.packet(buffer, offset, length, nanos);
        next.settle();
        boolean writable = way.isWritable();
        if (!writable) {
            unasked += length;
        }
        return writable;
    }

    @Override
    public boolean emitPayload(ByteBuf payload) {
        ByteBuf packet;
        try {
            packet = new PacketBuilder(stream.typeId()).flags(stream.flags()).payload(payload).build(PooledByteBufAllocator.DEFAULT);
        } catch (IllegalArgumentException e) {
            throw new AnepException(ErrorCode.SERVICE_BAD_OUTPUT, service + " emitted " + e.getMessage(), e);
        } finally {
            payload.release();
        }
        return emit(packet);
    }

    @Override
    public void holdEnd() {
        if (!ending || ended) {
            throw new IllegalStateException("an end can be held while the handler is told of it");
        }
        held = true;
    }

    @Override
    public void releaseEnd() {
        held = false;
    }

    @Override
    public boolean isWritable() {
        return way.isWritable();
    }

    @Override
    public ByteBufAllocator allocator() {
        return buffers;
    }
}
