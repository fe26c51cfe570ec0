package org.tamanoir.service.testkit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.MalformedPacketException;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.service.Output;

/** The output of one call: checks what is emitted, keeps a copy, releases the original. Refuses what comes after the call. */
final class CollectingOutput implements Output {
    /** A packet that goes on, and the code point that it leaves with; -1 if the handler has set none. */
    record Left(Packet packet, int mark) {
        static List<Packet> packets(List<Left> all) {
            return all.stream().map(Left::packet).toList();
        }

        static List<Integer> marks(List<Left> all) {
            return all.stream().map(Left::mark).toList();
        }
    }

    private final ByteBufAllocator allocator;
    private final int typeId;
    private final boolean writable;
    private final Direction direction;
    private final List<Left> emitted = new ArrayList<>();
    private boolean over;

    CollectingOutput(ByteBufAllocator allocator, int typeId, boolean writable, Direction direction) {
        this.allocator = allocator;
        this.typeId = typeId;
        this.writable = writable;
        this.direction = direction;
    }

    @Override
    public boolean emit(Packet packet) {
        checkNotEnded();
        add(copyOf(packet.buffer(), packet.offset(), packet.length()));
        return writable;
    }

    @Override
    public boolean emit(ByteBuf packet) {
        try {
            checkNotEnded();
            add(copyOf(packet, packet.readerIndex(), packet.readableBytes()));
            return writable;
        } finally {
            packet.release();
        }
    }

    @Override
    public boolean emitPayload(ByteBuf payload) {
        try {
            checkNotEnded();
            if (payload.readableBytes() > Anep.MAX_PAYLOAD) {
                throw new AnepException(ErrorCode.SERVICE_BAD_OUTPUT, "a payload of " + payload.readableBytes() + " octets");
            }
            ByteBuf packet = new PacketBuilder(typeId).payload(payload).build(allocator);
            add(copyOf(packet, 0, packet.readableBytes()));
            packet.release();
            return writable;
        } finally {
            payload.release();
        }
    }

    @Override
    public void holdEnd() {
        checkOpen();
        direction.hold();
    }

    @Override
    public void releaseEnd() {
        checkOpen();
        direction.release();
    }

    @Override
    public void finish() {
        checkOpen();
        direction.finish();
    }

    @Override
    public boolean isWritable() {
        checkOpen();
        return writable;
    }

    @Override
    public ByteBufAllocator allocator() {
        return allocator;
    }

    @Override
    public void mark(int dscp) {
        checkOpen();
        direction.mark(dscp);
    }

    /** Ends the call. */
    List<Left> end() {
        over = true;
        return emitted;
    }

    /** A packet leaves, marked as the direction is now. */
    void add(Packet packet) {
        emitted.add(new Left(packet, direction.mark()));
    }

    private void checkOpen() {
        if (over) {
            throw new ContractViolation("an Output was used after the call that handed it over");
        }
    }

    private void checkNotEnded() {
        checkOpen();
        if (direction.isOver()) {
            throw new ContractViolation("something was emitted after the end of its direction");
        }
    }

    /** A copy on the heap, which nobody needs to release. */
    private static Packet copyOf(ByteBuf buffer, int offset, int length) {
        byte[] octets = new byte[length];
        buffer.getBytes(offset, octets);
        try {
            Packet packet = Packet.of(Unpooled.wrappedBuffer(octets));
            packet.checkOptions();
            return packet;
        } catch (MalformedPacketException e) {
            throw new AnepException(ErrorCode.SERVICE_BAD_OUTPUT, "what was emitted is no packet: " + e.getMessage(), e);
        }
    }
}
