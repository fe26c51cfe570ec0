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

    @Override
    public void mark(int dscp) {
        throw new UnsupportedOperationException();
    }
    /** Octets that one call may emit without asking for room; a service that goes on is not looking at what {@code emit} returns. */
    private static final long MOST_UNASKED = 16L << 20;

    private final RunningService service;
    private final StreamInfo stream;
    private final PacketSink next;
    private final Way way;
    private final CallBuffers buffers;
    private long nanos;
    private long unasked;
    /** Of this direction: the handler is being told of the end, keeps it back, has let it go on. */
    private boolean ending;
    private boolean held;
    private boolean ended;

    StageOutput(RunningService service, StreamInfo stream, PacketSink next, Way way) {
        this.service = service;
        this.stream = stream;
        this.next = next;
        this.way = way;
        this.buffers = new CallBuffers(service);
    }

    /** A call begins. @param read when what it is about was read */
    void begin(long read) {
        nanos = read;
        unasked = 0;
        buffers.reset();
    }

    /** The handler is about to be told of the end. */
    void beginEnd() {
        unasked = 0;
        buffers.reset();
        ending = true;
    }

    /** Tasks come also while the peer is made to wait; so all that they emit until there is room again counts together. */
    void beginTask() {
        nanos = System.nanoTime();
        if (way.isWritable()) {
            unasked = 0;
            buffers.reset();
        }
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
