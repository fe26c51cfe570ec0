package org.tamanoir.anep;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.tamanoir.anep.PacketOptions.ErrorReport;

/**
 * Writes a packet.
 *
 * <pre>{@code
 * ByteBuf packet = new PacketBuilder(0x5402).flags(Anep.FLAG_DISCARD_UNKNOWN).options(options).payload(data).build(allocator);
 * }</pre>
 */
public final class PacketBuilder {
    /** Octets of the packet that {@link #cookie} makes. */
    public static final int COOKIE_SIZE = Anep.HEADER_SIZE + 20 + 12;
    /** Octets of an error packet without text: header, code, stream. */
    private static final int BARE_ERROR = Anep.HEADER_SIZE + 8 + 20;

    private final int typeId;
    private int flags;
    private PacketOptions options;
    private ByteBuf payload = Unpooled.EMPTY_BUFFER;

    /** @param typeId 0 to 65,535 */
    public PacketBuilder(int typeId) {
        requireFit("Type ID", typeId, 0xFFFF);
        this.typeId = typeId;
    }

    /** The eight flag bits, 0 to 255. */
    public PacketBuilder flags(int flags) {
        requireFit("flags", flags, 0xFF);
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
        requireFit("payload", payload.readableBytes(), Anep.MAX_PAYLOAD);
        ByteBuf out = allocator.buffer(Anep.HEADER_SIZE + payload.readableBytes() + (options == null ? 0 : 64));
        try {
            writeTo(out);
        } catch (RuntimeException e) {
            out.release();
            throw e;
        }
        return out;
    }

    /**
     * Writes the packet at the writer index of a buffer.
     *
     * @throws IllegalArgumentException if it would be longer than {@link Anep#MAX_PACKET}; nothing is written then
     */
    public void writeTo(ByteBuf out) {
        requireFit("payload", payload.readableBytes(), Anep.MAX_PAYLOAD);
        int start = out.writerIndex();
        try {
            write(out, start);
        } catch (RuntimeException e) {
            out.writerIndex(start);
            throw e;
        }
    }

    private void write(ByteBuf out, int start) {
        out.writeLong(0);
        int checksumAt = options == null ? -1 : OptionWriter.write(options, out);
        int headerLength = out.writerIndex() - start;
        int length = headerLength + payload.readableBytes();
        requireFit("packet length", length, Anep.MAX_PACKET);
        out.writeBytes(payload, payload.readerIndex(), payload.readableBytes());
        setHeader(out, start, flags, typeId, headerLength / Anep.WORD, length);
        if (checksumAt >= 0) {
            out.setShort(checksumAt, Checksum.of(out, start, length));
        }
    }

    /**
     * Writes the header of a packet without options at {@code index}: eight octets, the payload follows.
     *
     * @param payloadLength 0 to {@link Anep#MAX_PAYLOAD}
     */
    public static void setBareHeader(ByteBuf buffer, int index, int flags, int typeId, int payloadLength) {
        requireFit("payload", payloadLength, Anep.MAX_PAYLOAD);
        setHeader(buffer, index, flags, typeId, Anep.HEADER_WORDS, Anep.HEADER_SIZE + payloadLength);
    }

    static void setHeader(ByteBuf buffer, int index, int flags, int typeId, int words, int length) {
        buffer.setLong(index, (long) Anep.VERSION << 56 | (long) (flags & 0xFF) << 48 | (long) (typeId & 0xFFFF) << 32
                | (long) words << 16 | length);
    }

    private static void requireFit(String what, int value, int most) {
        if (value < 0 || value > most) {
            throw new IllegalArgumentException(what + " of " + value + "; 0 to " + most + " fit");
        }
    }

    /** An error packet: Type ID 0, the error, and the stream that it is about (0 for none). */
    public static ByteBuf error(ByteBufAllocator allocator, ErrorCode code, String text, long streamId) {
        return error(allocator, code, text, streamId, Anep.MAX_PACKET);
    }

    /**
     * The same, with less of the text where there is no room for it.
     *
     * @param most octets of the packet
     * @return null if there is not even room without text
     */
    public static ByteBuf error(ByteBufAllocator allocator, ErrorCode code, String text, long streamId, long most) {
        if (most < BARE_ERROR) {
            return null;
        }
        PacketOptions options = new PacketOptions().error(new ErrorReport(code, cut(text, (int) Math.min(most - BARE_ERROR, Anep.MAX_ERROR_TEXT) & -Anep.WORD)));
        if (streamId != 0) {
            options.stream(streamId, 0);
        }
        return new PacketBuilder(Anep.TYPE_ERROR).flags(Anep.FLAG_DISCARD_UNKNOWN).options(options).build(allocator);
    }

    /** The beginning of a text that has so many octets of UTF-8 at most. */
    private static String cut(String text, int octets) {
        byte[] utf8 = text == null ? new byte[0] : text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(utf8.length, octets);
        while (length < utf8.length && length > 0 && (utf8[length] & 0xC0) == 0x80) {
            length--;
        }
        return new String(utf8, 0, length, StandardCharsets.UTF_8);
    }

    /**
     * A control packet over UDP that asks a sender to return it, and so to show that it is where it says.
     *
     * @param cookie not 0
     */
    public static ByteBuf cookie(ByteBufAllocator allocator, long streamId, long cookie) {
        return new PacketBuilder(Anep.TYPE_CONTROL).flags(Anep.FLAG_DISCARD_UNKNOWN).options(new PacketOptions().stream(streamId, 0).cookie(cookie))
                .build(allocator);
    }

    /** A control packet over UDP that asks a next hop whether it takes streams, or answers that: as long as each other, so nobody is answered by more than it sent. */
    public static ByteBuf hopCheck(ByteBufAllocator allocator, HopCheck check, long number) {
        return new PacketBuilder(Anep.TYPE_CONTROL).flags(Anep.FLAG_DISCARD_UNKNOWN).options(new PacketOptions().hopCheck(check, number)).build(allocator);
    }

    /** A packet without payload in which one end of a stream speaks to the other about the session. */
    public static ByteBuf session(ByteBufAllocator allocator, int typeId, int flags, SessionMessage message) {
        return new PacketBuilder(typeId).flags(flags).options(new PacketOptions().session(message)).build(allocator);
    }

    /** A packet without payload that tells the source that the destination has accepted. */
    public static ByteBuf connected(ByteBufAllocator allocator, int typeId, int flags) {
        return new PacketBuilder(typeId).flags(flags).options(new PacketOptions().connected(true)).build(allocator);
    }

    /** A control packet: what is said to a neighbour about the connection, other than an offer. */
    public static ByteBuf control(ByteBufAllocator allocator, ConnectionUse use) {
        return new PacketBuilder(Anep.TYPE_CONTROL).flags(Anep.FLAG_DISCARD_UNKNOWN).options(new PacketOptions().connection(use, 0))
                .build(allocator);
    }
}
