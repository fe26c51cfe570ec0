package org.tamanoir.service.testkit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.service.CheckpointedHandler;
import org.tamanoir.service.RunHandler;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Transport;
import org.tamanoir.service.Verdict;
import org.tamanoir.service.testkit.CollectingOutput.Left;

/**
 * One stream through one service. Packets are lent as a node lends them, in direct memory with other octets around them; what goes on is
 * handed back as copies. {@link #close()} ends the stream and fails if a buffer was not given back.
 *
 * <pre>{@code
 * Outcome outcome = stream.at(1_000).toDestination(payload);
 * assertThat(outcome.verdict()).isSameAs(Verdict.PASS);
 * }</pre>
 */
public final class StreamHarness implements AutoCloseable {
    /** The verdict about a packet that no handler is shown, because its direction was ended by {@link org.tamanoir.service.Output#finish}. */
    public static final Verdict AFTER_END = Verdict.drop("after-end");

    // One allocator a stream: what it has in use at the end of the stream is what the stream did not give back.
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final HarnessStream context;
    private final StreamHandler handler;
    private final VirtualTime time;
    private final StreamTasks tasks;
    private final Direction forward;
    private final Direction back;
    private final List<Left> toDestination = new ArrayList<>();
    private final List<Left> toSource = new ArrayList<>();
    private boolean writable = true;
    private boolean connects;
    private boolean closed;

    StreamHarness(HarnessStream context, StreamHandler handler, VirtualTime time, StreamTasks tasks) {
        if (handler == null) {
            throw new ContractViolation("open() returned null");
        }
        this.context = context;
        this.handler = handler;
        this.time = time;
        this.tasks = tasks;
        boolean ends = context.transport() == Transport.TCP;
        this.forward = new Direction(ends);
        this.back = new Direction(ends);
        context.opened();
    }

    /**
     * Sets the clock, and so when the next packets are received, for all streams of the service. Timers that this jumps over run with the
     * next {@link #advance}.
     */
    public StreamHarness at(long nanos) {
        time.set(nanos);
        return this;
    }

    /**
     * Lets time pass for all streams of the service: runs the tasks that wait and the timers that become due, in order, each at its time.
     * {@code Duration.ZERO} runs what is due now.
     *
     * @return what the tasks of this stream have emitted since this was asked last
     */
    public Emitted advance(Duration by) throws Exception {
        time.advance(by);
        Emitted emitted = Emitted.of(toDestination, toSource);
        toDestination.clear();
        toSource.clear();
        return emitted;
    }

    /** Whether the way has room: what {@code emit} and {@code isWritable} return. True unless it is set. */
    public StreamHarness writable(boolean writable) {
        this.writable = writable;
        return this;
    }

    /** The way toward the destination has room again, and the handler is told. */
    public Outcome room() throws Exception {
        writable = true;
        CollectingOutput out = output(forward);
        handler.onWritable(out);
        forward.settle();
        return gone(Outcome.of(null, out.end()));
    }

    /** The same for the way back to the source. */
    public Outcome returnRoom() throws Exception {
        writable = true;
        CollectingOutput out = output(back);
        handler.onReturnWritable(out);
        back.settle();
        return Outcome.of(null, out.end());
    }

    /** Whether a node would have connected to the next hop by now; see {@link StreamContext#connectLater}. */
    public boolean connects() {
        return connects || !context.connectsLater();
    }

    private Outcome gone(Outcome onward) {
        connects |= onward.onward().stream().anyMatch(packet -> packet.payloadLength() > 0);
        return onward;
    }

    /** A packet on its way to the destination, as it is. */
    public Outcome toDestination(Packet packet) throws Exception {
        return push(octets(packet), true);
    }

    /** A packet without options on its way to the destination. */
    public Outcome toDestination(byte[] payload) throws Exception {
        return toDestination(null, payload);
    }

    /** A packet with options, or null for none, on its way to the destination. */
    public Outcome toDestination(PacketOptions options, byte[] payload) throws Exception {
        return push(octets(options, payload), true);
    }

    /**
     * Packets without options on their way to the destination that a node reads together. A {@link RunHandler} is given them in one call, as
     * {@link org.tamanoir.service.Run} bounds it; the verdict of the outcome is that on the last one.
     */
    public Outcome toDestinationTogether(List<byte[]> payloads) throws Exception {
        return push(payloads.stream().map(payload -> octets(null, payload)).toList(), true);
    }

    /** The same on their way back to the source. */
    public Outcome toSourceTogether(List<byte[]> payloads) throws Exception {
        return push(payloads.stream().map(payload -> octets(null, payload)).toList(), false);
    }

    /** A packet on its way back to the source, as it is. */
    public Outcome toSource(Packet packet) throws Exception {
        return push(octets(packet), false);
    }

    /** A packet without options on its way back to the source. */
    public Outcome toSource(byte[] payload) throws Exception {
        return toSource(null, payload);
    }

    /** A packet with options, or null for none, on its way back to the source. */
    public Outcome toSource(PacketOptions options, byte[] payload) throws Exception {
        return push(octets(options, payload), false);
    }

    /** The source has finished. */
    public Outcome end() throws Exception {
        if (forward.hasFinished()) {
            return Outcome.of(null, List.of());
        }
        forward.tell();
        CollectingOutput out = output(forward);
        handler.onEnd(out);
        forward.settle();
        return gone(Outcome.of(null, out.end()));
    }

    /** The destination has finished. */
    public Outcome returnEnd() throws Exception {
        if (back.hasFinished()) {
            return Outcome.of(null, List.of());
        }
        back.tell();
        CollectingOutput out = output(back);
        handler.onReturnEnd(out);
        back.settle();
        return Outcome.of(null, out.end());
    }

    /** A mark of a stream that outlives its nodes passes on its way to the destination. */
    public Checkpoint checkpoint() throws Exception {
        CollectingOutput out = output(forward);
        return Checkpoint.of(checkpointed().checkpoint(out), out.end());
    }

    /** The same on the way back to the source. */
    public Checkpoint checkpointReturn() throws Exception {
        CollectingOutput out = output(back);
        return Checkpoint.of(checkpointed().checkpointReturn(out), out.end());
    }

    /** The stream goes on here, where other handlers were at these checkpoints; before its first packet. */
    public StreamHarness restore(Checkpoint toDestination, Checkpoint toSource) throws Exception {
        if (toSource.state().length > 0) {
            checkpointed().restoreReturn(toSource.state());
        }
        if (toDestination.state().length > 0) {
            checkpointed().restore(toDestination.state());
        }
        return this;
    }

    private CheckpointedHandler checkpointed() {
        if (handler instanceof CheckpointedHandler checkpointed) {
            return checkpointed;
        }
        throw new ContractViolation("the handler is no CheckpointedHandler");
    }

    /** Whether the end toward the destination has gone on; not while the handler holds it. */
    public boolean hasEnded() {
        return forward.isOver();
    }

    /** Whether the end toward the source has gone on; not while the handler holds it. */
    public boolean hasReturnEnded() {
        return back.isOver();
    }

    /** The code point with which packets leave toward the destination from now on; -1 if the handler has set none. */
    public int markToDestination() {
        return forward.mark();
    }

    /** The code point with which packets leave toward the source from now on; -1 if the handler has set none. */
    public int markToSource() {
        return back.mark();
    }

    /** Whether the handler makes the source wait. The test may go on all the same: what a node has read already still comes. */
    public boolean isSourcePaused() {
        return context.isSourcePaused();
    }

    /** Whether the handler makes the destination wait; see {@link #isSourcePaused}. */
    public boolean isDestinationPaused() {
        return context.isDestinationPaused();
    }

    /** The stream as the handler knows it: its addresses, its id, the way to run a task on it. */
    public StreamContext context() {
        return context;
    }

    public Map<String, Object> report() {
        return handler.report();
    }

    /** Octets of buffers that the service holds of this stream. */
    public long octetsHeld() {
        return allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory();
    }

    /** Ends the stream; a second call does nothing. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        tasks.close();
        handler.close();
        if (octetsHeld() != 0) {
            throw new ContractViolation(octetsHeld() + " octets of buffers were not released when the stream closed");
        }
    }

    private Outcome push(byte[] octets, boolean toDestination) throws Exception {
        return push(List.of(octets), toDestination);
    }

    private Outcome push(List<byte[]> packets, boolean toDestination) throws Exception {
        Direction direction = toDestination ? forward : back;
        if (closed) {
            throw new IllegalStateException("the stream is closed");
        }
        if (direction.hasFinished()) {
            return Outcome.of(AFTER_END, List.of());
        }
        List<LentPacket> lent = packets.stream().map(octets -> new LentPacket(allocator, octets, time.nanos())).toList();
        CollectingOutput out = output(direction);
        Verdict verdict = null;
        List<String> broken;
        try {
            verdict = show(lent, out, toDestination);
        } finally {
            out.end();
            broken = lent.stream().map(LentPacket::takeBack).filter(Objects::nonNull).toList();
        }
        if (!broken.isEmpty()) {
            throw new ContractViolation(broken.get(0));
        }
        direction.settle();
        Outcome outcome = Outcome.of(verdict, out.end());
        return toDestination ? gone(outcome) : outcome;
    }

    private Verdict show(List<LentPacket> lent, CollectingOutput out, boolean toDestination) throws Exception {
        if (handler instanceof RunHandler runs) {
            LentRun run = new LentRun(lent, out);
            if (toDestination) {
                runs.onRun(run, out);
            } else {
                runs.onReturnRun(run, out);
            }
            return run.end();
        }
        Verdict verdict = null;
        for (LentPacket packet : lent) {
            verdict = toDestination ? handler.onPacket(packet.view(), out) : handler.onReturn(packet.view(), out);
            if (verdict == null) {
                throw new ContractViolation("the handler returned no verdict");
            }
            if (verdict == Verdict.PASS) {
                out.add(packet.copy());
            }
        }
        return verdict;
    }

    StreamTasks tasks() {
        return tasks;
    }

    /** Runs the task that is due first. */
    void runTask() throws Exception {
        CollectingOutput ahead = output(forward);
        CollectingOutput behind = output(back);
        try {
            tasks.take().run(ahead, behind);
        } finally {
            toDestination.addAll(ahead.end());
            connects |= toDestination.stream().anyMatch(left -> left.packet().payloadLength() > 0);
            toSource.addAll(behind.end());
        }
        forward.settle();
        back.settle();
    }

    private CollectingOutput output(Direction direction) {
        return new CollectingOutput(allocator, context.typeId(), writable, direction);
    }

    private byte[] octets(PacketOptions options, byte[] payload) {
        ByteBuf packet = new PacketBuilder(context.typeId()).options(options).payload(Unpooled.wrappedBuffer(payload))
                .build(UnpooledByteBufAllocator.DEFAULT);
        try {
            return ByteBufUtil.getBytes(packet);
        } finally {
            packet.release();
        }
    }

    private static byte[] octets(Packet packet) {
        return ByteBufUtil.getBytes(packet.buffer(), packet.offset(), packet.length());
    }
}
