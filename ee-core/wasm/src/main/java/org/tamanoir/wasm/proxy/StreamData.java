package org.tamanoir.wasm.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.Deque;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.Output;
import org.tamanoir.service.Run;
import org.tamanoir.service.Verdict;
import org.tamanoir.wasm.engine.LinearMemory;

/**
 * What waits in one direction of a stream for the filter's word: what it has held back, and behind it the run in hand. As long as the filter changes
 * nothing it is the packets that came, and they go on as they came; afterwards it is octets, which leave in packets of their own.
 */
final class StreamData {
    /** Held back, with references of their own; those without payload stay packets whatever the filter does. */
    private final Deque<Packet> packets = new ArrayDeque<>();
    /** In place of packets with payload, once the filter has changed something. */
    private ByteBuf octets;
    private Run run;
    private int length;
    private long came;
    private long emitted;
    private final int ratio;
    private final int grace;

    /**
     * What may be emitted is bounded by what came.
     *
     * @param ratio octets for each octet
     * @param grace octets more
     */
    StreamData(int ratio, int grace) {
        this.ratio = ratio;
        this.grace = grace;
    }

    /** The filter will be shown a run, behind what is held. */
    void begin(Run arrived) {
        run = arrived;
        for (int i = 0; i < arrived.count(); i++) {
            Packet packet = arrived.packet(i);
            length += packet.payloadLength();
            came += packet.payloadLength();
            if (octets != null && packet.payloadLength() > 0) {
                octets.writeBytes(packet.payload());
                arrived.verdict(i, Verdict.TAKEN);
            }
        }
    }

    /** Octets of payload. */
    int length() {
        return length;
    }

    /** Copies a part of it, which must be there, to the filter. */
    void copyTo(LinearMemory memory, int address, int start, int size) {
        memory.checkArea(address, size);
        if (octets != null) {
            memory.copyFrom(octets, octets.readerIndex() + start, address, size);
            return;
        }
        Copy copy = new Copy(memory, address, start, size);
        packets.forEach(copy::take);
        for (int i = 0; run != null && i < run.count(); i++) {
            copy.take(run.packet(i));
        }
    }

    private static final class Copy {
        private final LinearMemory memory;
        private int to;
        private int skip;
        private int left;

        Copy(LinearMemory memory, int to, int skip, int left) {
            this.memory = memory;
            this.to = to;
            this.skip = skip;
            this.left = left;
        }

        void take(Packet packet) {
            int take = Math.min(left, packet.payloadLength() - skip);
            if (take > 0) {
                ByteBuf payload = packet.payload();
                memory.copyFrom(payload, payload.readerIndex() + skip, to, take);
                to += take;
                left -= take;
            }
            skip = Math.max(0, skip - packet.payloadLength());
        }
    }

    /**
     * Replaces a part of it, from {@code start} to {@code start + size}, as far as it is there: what begins behind the end is appended.
     *
     * @param address of what is put there
     */
    void replace(int start, int size, LinearMemory memory, int address, int count) {
        memory.checkArea(address, count);
        ByteBuf before = octets();
        int from = Math.min(start, length);
        int behind = (int) Math.min((long) from + size, length);
        ByteBuf after = Unpooled.buffer(length - (behind - from) + count);
        after.writeBytes(before, before.readerIndex(), from);
        memory.copyTo(address, after, count);
        after.writeBytes(before, before.readerIndex() + behind, length - behind);
        before.release();
        octets = after;
        length = after.readableBytes();
    }

    /** Turns packets with payload into octets. */
    private ByteBuf octets() {
        if (octets == null) {
            ByteBuf all = Unpooled.buffer(length);
            for (int i = packets.size(); i > 0; i--) {
                Packet packet = packets.poll();
                all.writeBytes(packet.payload());
                if (packet.payloadLength() == 0) {
                    packets.add(packet);
                } else {
                    packet.release();
                }
            }
            for (int i = 0; run != null && i < run.count(); i++) {
                if (run.packet(i).payloadLength() > 0) {
                    all.writeBytes(run.packet(i).payload());
                    run.verdict(i, Verdict.TAKEN);
                }
            }
            octets = all;
        }
        return octets;
    }

    /** All of it waits for a later word; the call that brought the run ends. */
    void hold() {
        for (int i = 0; run != null && i < run.count(); i++) {
            Packet packet = run.packet(i);
            if (octets == null || packet.payloadLength() == 0) {
                packets.add(packet.retain());
                run.verdict(i, Verdict.TAKEN);
            }
        }
        run = null;
    }

    /** All of it goes on; what the run has and the filter has not touched passes by itself. */
    void goOn(Output out) {
        for (Packet packet = packets.poll(); packet != null; packet = packets.poll()) {
            try {
                out.emit(packet);
            } finally {
                packet.release();
            }
        }
        if (octets != null) {
            ByteBuf all = octets;
            octets = null;
            try {
                emitted += all.readableBytes();
                if (emitted > ratio * came + grace) {
                    throw new AnepException(ErrorCode.MODULE_FORBIDDEN, "the filter emits " + emitted + " octets, and " + came + " came");
                }
                while (all.isReadable()) {
                    int size = Math.min(all.readableBytes(), Anep.MAX_PAYLOAD);
                    out.emitPayload(out.allocator().buffer(size).writeBytes(all, size));
                }
            } finally {
                all.release();
            }
        }
        run = null;
        length = 0;
    }

    /** None of it goes on: what was held is gone, and so is the run in hand. */
    void drop() {
        for (int i = 0; run != null && i < run.count(); i++) {
            run.verdict(i, Verdict.TAKEN);
        }
        release();
    }

    /** Gives back what is held. */
    void release() {
        packets.forEach(Packet::release);
        packets.clear();
        if (octets != null) {
            octets.release();
            octets = null;
        }
        run = null;
        length = 0;
    }
}
