package org.tamanoir.node.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Framing;
import org.tamanoir.anep.MalformedPacketException;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceWatch;
import org.tamanoir.node.transport.PacketSink;
import org.tamanoir.service.Output;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Task;
import org.tamanoir.service.Verdict;

/**
 * One service in one direction of a stream: shows each packet to the handler and does what the verdict says. What the handler emits goes
 * to the next stage at once, so the order holds. Error packets pass unseen.
 */
final class HandlerStage implements PacketSink, Output {
    private final RunningService service;
    private final StreamHandler handler;
    private final boolean back;
    private final StreamInfo stream;
    private final PacketSink next;
    private final Way way;
    private final Packet view = new Packet();
    private ServiceWatch.Mark mark;
    /** Octets that one call may emit without asking for room; a service that goes on is not looking at what {@code emit} returns. */
    private static final long MOST_UNASKED = 16L << 20;

    private long nanos;
    private long packets;
    private long unasked;
    private boolean failed;
    /** Of this direction: the handler is being told of the end, keeps it back, has let it go on. */
    private boolean ending;
    private boolean held;
    private boolean ended;

    /**
     * @param back whether this is the direction to the source
     * @param mark of the thread that will call; {@link #runOn} changes it
     */
    HandlerStage(OpenHandler opened, boolean back, StreamInfo stream, PacketSink next, Way way, ServiceWatch.Mark mark) {
        this.service = opened.service();
        this.handler = opened.handler();
        this.back = back;
        this.stream = stream;
        this.next = next;
        this.way = way;
        this.mark = mark;
    }

    /** The next calls come on another thread. */
    void runOn(ServiceWatch.Mark mark) {
        this.mark = mark;
    }

    @Override
    public void packet(ByteBuf buffer, int offset, int length, long read) {
        view.wrap(buffer, offset, length);
        if (failed || view.typeId() == Anep.TYPE_ERROR) {
            if (!failed) {
                next.packet(buffer, offset, length, read);
            }
            return;
        }
        if (view.hasOptions() && !optionsAreGood()) {
            return;
        }
        view.receivedNanos(read);
        nanos = read;
        packets++;
        unasked = 0;
        Verdict verdict;
        RunningService before = mark.enter(service);
        try {
            verdict = back ? handler.onReturn(view, this) : handler.onPacket(view, this);
        } catch (Throwable error) {
            mark.leave(before);
            fail(error);
            return;
        }
        mark.leave(before);
        if (mark.wasStopped()) {
            fail(null);
        } else if (verdict == Verdict.PASS) {
            next.packet(buffer, offset, length, read);
        } else if (verdict == null) {
            fail(new NullPointerException("the handler returned no verdict"));
        } else if (verdict != Verdict.TAKEN) {
            service.dropped(verdict);
        }
    }

    private boolean optionsAreGood() {
        try {
            view.checkOptions();
            return true;
        } catch (MalformedPacketException e) {
            failed = true;
            way.failed(e);
            return false;
        }
    }

    private void fail(Throwable error) {
        failed = true;
        service.error();
        if (mark.wasStopped() || error == null) {
            way.failed(new AnepException(ErrorCode.SERVICE_TIMEOUT, service + " did not return in time", error));
        } else if (error instanceof AnepException known) {
            way.failed(known);
        } else {
            way.failed(new AnepException(ErrorCode.SERVICE_ERROR, service + " failed: " + error, error));
        }
    }

    @Override
    public void settle() {
        next.settle();
    }

    @Override
    public boolean hasRoom() {
        return next.hasRoom();
    }

    @Override
    public void flush() {
        if (packets > 0) {
            service.packets(packets);
            packets = 0;
        }
        next.flush();
    }

    @Override
    public void end() {
        if (failed) {
            return;
        }
        unasked = 0;
        ending = true;
        RunningService before = mark.enter(service);
        try {
            if (back) {
                handler.onReturnEnd(this);
            } else {
                handler.onEnd(this);
            }
        } catch (Throwable error) {
            mark.leave(before);
            fail(error);
            return;
        }
        mark.leave(before);
        flush();
        passEnd();
    }

    /** Lets an end go on that the handler has been told of and does not keep back. */
    private void passEnd() {
        if (ending && !held && !ended && !failed) {
            ended = true;
            next.end();
        }
    }

    /**
     * Runs a task of the handler, in place of a packet.
     *
     * @param other the stage of the same handler in the other direction
     */
    void task(HandlerTasks.Entry entry, HandlerStage other) {
        Task task = failed || other.failed ? null : entry.take();
        if (task == null) {
            return;
        }
        begin();
        other.begin();
        RunningService before = mark.enter(service);
        try {
            task.run(back ? other : this, back ? this : other);
        } catch (Throwable error) {
            mark.leave(before);
            fail(error);
            return;
        }
        mark.leave(before);
        if (mark.wasStopped()) {
            fail(null);
            return;
        }
        flush();
        other.flush();
        passEnd();
        other.passEnd();
    }

    /** Tasks come also while the peer is made to wait; so all that they emit until there is room again counts together. */
    private void begin() {
        nanos = System.nanoTime();
        if (way.isWritable()) {
            unasked = 0;
        }
    }

    // What the handler emits.

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
            packet = new PacketBuilder(stream.typeId()).flags(stream.flags()).payload(payload).build(allocator());
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
        return PooledByteBufAllocator.DEFAULT;
    }
}
