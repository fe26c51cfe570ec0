package org.tamanoir.anep;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import org.tamanoir.anep.PacketOptions.ErrorReport;

/**
 * Writes a packet.
 *
 * <pre>{@code
 * ByteBuf packet = new PacketBuilder(0x5402).flags(Anep.FLAG_DISCARD_UNKNOWN).options(options).payload(data).build(allocator);
 * }</pre>
 */
public final class PacketBuilder {
    private final int typeId;
    private int flags;
    private PacketOptions options;
    private ByteBuf payload = Unpooled.EMPTY_BUFFER;

    /** @param typeId 0 to 65,535 */
    public PacketBuilder(int typeId) {
        this.typeId = typeId;
    }

    /** The eight flag bits. */
    public PacketBuilder flags(int flags) {
        this.flags = flags;
        return this;
    }

    /** The options, or null for none. */
    public PacketBuilder options(PacketOptions options) {
        this.options = options;
        return this;
    }

    /** The payload: its readable octets are copied by {@link #build}; the caller keeps the reference. */
    public PacketBuilder payload(ByteBuf payload) {
        this.payload = payload;
        return this;
    }

    /**
     * The packet in a buffer of its own, which the caller releases.
     *
     * @throws IllegalArgumentException if it would be longer than {@link Anep#MAX_PACKET}
     */
    public ByteBuf build(ByteBufAllocator allocator) {
        ByteBuf out = allocator.buffer(Anep.HEADER_SIZE + payload.readableBytes() + (options == null ? 0 : 64));
        try {
            writeTo(out);
        } catch (RuntimeException e) {
            out.release();
            throw e;
        }
        return out;
    }

    /** Writes the packet at the writer index of a buffer. */
    public void writeTo(ByteBuf out) {
        int start = out.writerIndex();
        out.writeLong(0);
        int checksumAt = options == null ? -1 : OptionWriter.write(options, out);
        int headerLength = out.writerIndex() - start;
        int length = headerLength + payload.readableBytes();
        if (length > Anep.MAX_PACKET) {
            throw new IllegalArgumentException("a packet of " + length + " octets; at most " + Anep.MAX_PACKET + " fit");
        }
        out.writeBytes(payload, payload.readerIndex(), payload.readableBytes());
        setHeader(out, start, flags, typeId, headerLength / Anep.WORD, length);
        if (checksumAt >= 0) {
            out.setShort(checksumAt, Checksum.of(out, start, length));
        }
    }

    /** Writes the header of a packet without options at {@code index}: eight octets, the payload follows. */
    public static void setBareHeader(ByteBuf buffer, int index, int flags, int typeId, int payloadLength) {
        setHeader(buffer, index, flags, typeId, Anep.HEADER_WORDS, Anep.HEADER_SIZE + payloadLength);
    }

    private static void setHeader(ByteBuf buffer, int index, int flags, int typeId, int words, int length) {
        buffer.setLong(index, (long) Anep.VERSION << 56 | (long) (flags & 0xFF) << 48 | (long) (typeId & 0xFFFF) << 32
                | (long) words << 16 | length);
    }

    /** An error packet: Type ID 0, the error, and the stream that it is about (0 for none). */
    public static ByteBuf error(ByteBufAllocator allocator, ErrorCode code, String text, long streamId) {
        PacketOptions options = new PacketOptions().error(new ErrorReport(code, text));
        if (streamId != 0) {
            options.stream(streamId, 0);
        }
        return new PacketBuilder(Anep.TYPE_ERROR).flags(Anep.FLAG_DISCARD_UNKNOWN).options(options).build(allocator);
    }
}
