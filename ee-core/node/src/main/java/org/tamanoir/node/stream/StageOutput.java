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
import org.tamanoir.node.transport.LoopMemory;
import org.tamanoir.node.transport.Stage;
import org.tamanoir.service.Level;
import org.tamanoir.service.Output;
import org.tamanoir.service.Transport;

/** What one handler emits in one direction: checked, bounded, and handed to the next stage at once, so that the order holds. */
final class StageOutput implements Output {
    /** Octets that one call may emit without asking for room; a service that goes on is not looking at what {@code emit} returns. */
    private static final long MOST_UNASKED = 16L << 20;
    private static final int MOST_DSCP = 63;

    private final RunningService service;
    private final StreamInfo stream;
    private final Stage stage;
    private final FlowControl flow;
    private final LoopMemory memory;
    private final boolean mayMark;
    private final CallBuffers buffers;
    private final Packet emitted = new Packet();
    /** The code point that the handler has set, or -1; and the one that what it emits has otherwise. */
    private int mark = -1;
    private int came;
    private long nanos;
    private long unasked;
    /** Of this direction: the handler is being told of the end, keeps it back, has let it go on. */
    private boolean ending;
    private boolean held;
    private boolean ended;
    /** The handler has ended the direction before its end had gone on. */
    private boolean finished;
    /** The handler was told that there is no room. */
    private volatile boolean wantsRoom;

    /** @param stage what is emitted goes to the step behind this one */
    StageOutput(RunningService service, StreamInfo stream, Stage stage, FlowControl flow, LoopMemory memory) {
        boolean heavy = service.level() == Level.HEAVY;
        this.mayMark = !heavy;
        this.service = service;
        this.stream = stream;
        this.stage = stage;
        this.flow = flow;
        this.memory = memory;
        // What a heavy service makes waits for the loop, and so it counts from the beginning.
        this.buffers = new CallBuffers(service, heavy ? memory.allocator() : PooledByteBufAllocator.DEFAULT);
    }

    /** A call about a packet begins; returns the code point with which the packet came. */
    int begin(Packet packet) {
        nanos = packet.receivedNanos();
        came = packet.codePoint();
        unasked = 0;
        buffers.reset();
        return came;
    }

    /** The handler is about to be told of the end. */
    void beginEnd() {
        unasked = 0;
        buffers.reset();
        ending = true;
        nanos = System.nanoTime();
        came = flow.codePoint();
    }

    /** Tasks come also while the peer is made to wait; so all that they emit until there is room again counts together. */
    void beginTask() {
        nanos = System.nanoTime();
        came = flow.codePoint();
        if (flow.hasRoom()) {
            unasked = 0;
            buffers.reset();
        }
    }

    /** The code point with which something goes on: the one that the handler has set, or else the given one. */
    int codePoint(int otherwise) {
        return mark >= 0 ? mark : otherwise;
    }

    /** After a task: what the handler has set holds for what waits on the connection too. */
    void remark() {
        if (mark >= 0) {
            stage.next().mark(mark);
        }
    }

    @Override
    public void mark(int dscp) {
        if (!mayMark) {
            throw new UnsupportedOperationException("a heavy service sets no code points");
        }
        if (dscp < -1 || dscp > MOST_DSCP) {
            throw new IllegalArgumentException("the code point " + dscp + " is not from 0 to " + MOST_DSCP + ", nor -1");
        }
        mark = dscp;
    }

    /** Whether the end is to go on now: once. */
    boolean mayEnd() {
        return (finished || ending && !held) && endAnyway();
    }

    /** Whether the call in hand ends the direction. */
    boolean isFinishing() {
        return finished && !ended;
    }

    /** Whether the handler has ended the direction before its end has come. */
    boolean hasFinished() {
        return finished;
    }

    @Override
    public void finish() {
        if (stream.transport() == Transport.UDP) {
            throw new UnsupportedOperationException("a direction of datagrams has no end");
        }
        if (!ended) {
            finished = true;
            flow.finishes();
        }
    }

    /** Whether nothing can be emitted any more. */
    boolean isOver() {
        return ended;
    }

    /** Whether the handler waits for room and has it now; once. */
    boolean takesRoom() {
        if (!wantsRoom || ended || !flow.hasRoom()) {
            return false;
        }
        wantsRoom = false;
        return true;
    }

    boolean wantsRoom() {
        return wantsRoom;
    }

    private boolean room() {
        boolean room = flow.hasRoom();
        if (!room) {
            wantsRoom = true;
        }
        return room;
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
        if (unasked > MOST_UNASKED || unasked > 0 && !memory.has(length)) {
            throw new AnepException(ErrorCode.SERVICE_BAD_OUTPUT, service + " emitted more than " + MOST_UNASKED
                    + " octets in one call without room for them");
        }
        try {
            Framing.checkDatagram(buffer, offset, length);
        } catch (MalformedPacketException e) {
            throw new AnepException(ErrorCode.SERVICE_BAD_OUTPUT, service + " emitted something that is no packet: " + e.getMessage(), e);
        }
        stage.next().packet(emitted.wrap(buffer, offset, length).receivedNanos(nanos).codePoint(codePoint(came)));
        boolean room = room();
        if (!room) {
            unasked += length;
        }
        return room;
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
        return room();
    }

    @Override
    public double waitingInput() {
        return flow.waitingInput();
    }

    @Override
    public double waitingOutput() {
        return flow.waitingOutput();
    }

    @Override
    public ByteBufAllocator allocator() {
        return buffers;
    }
}
