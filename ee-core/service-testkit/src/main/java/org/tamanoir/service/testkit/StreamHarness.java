package org.tamanoir.service.testkit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;

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
    // One allocator a stream: what it has in use at the end of the stream is what the stream did not give back.
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final StreamContext context;
    private final StreamHandler handler;
    private boolean writable = true;
    private long nanos = System.nanoTime();
    private boolean closed;

    StreamHarness(StreamContext context, StreamHandler handler) {
        if (handler == null) {
            throw new ContractViolation("open() returned null");
        }
        this.context = context;
        this.handler = handler;
    }

    /** Sets when the next packets were received, by {@link System#nanoTime()}. */
    public StreamHarness at(long nanos) {
        this.nanos = nanos;
        return this;
    }

    /** Whether the way has room: what {@code emit} and {@code isWritable} return. True unless it is set. */
    public StreamHarness writable(boolean writable) {
        this.writable = writable;
        return this;
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
        CollectingOutput out = output();
        handler.onEnd(out);
        return new Outcome(null, List.copyOf(out.end()));
    }

    /** The destination has finished. */
    public Outcome returnEnd() throws Exception {
        CollectingOutput out = output();
        handler.onReturnEnd(out);
        return new Outcome(null, List.copyOf(out.end()));
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
        handler.close();
        if (octetsHeld() != 0) {
            throw new ContractViolation(octetsHeld() + " octets of buffers were not released when the stream closed");
        }
    }

    private Outcome push(byte[] octets, boolean toDestination) throws Exception {
        if (closed) {
            throw new IllegalStateException("the stream is closed");
        }
        LentPacket lent = new LentPacket(allocator, octets, nanos);
        CollectingOutput out = output();
        Verdict verdict = null;
        String broken;
        try {
            verdict = toDestination ? handler.onPacket(lent.view(), out) : handler.onReturn(lent.view(), out);
        } finally {
            out.end();
            broken = lent.takeBack();
        }
        if (verdict == null) {
            throw new ContractViolation("the handler returned no verdict");
        }
        if (broken != null) {
            throw new ContractViolation(broken);
        }
        if (verdict == Verdict.PASS) {
            out.add(lent.copy());
        }
        return new Outcome(verdict, List.copyOf(out.end()));
    }

    private CollectingOutput output() {
        return new CollectingOutput(allocator, context.typeId(), writable);
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
