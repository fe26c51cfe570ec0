package org.tamanoir.dyram.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.OptionType;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.dyram.wire.Message.Data;

/**
 * Messages to ANEP packets and back ({@code docs/dyram.md}). A packet names no destination, so the node that it reaches takes it for itself;
 * the stream option has the session and the sequence number.
 */
public final class Codec {
    /** The service's Type ID. */
    public static final int TYPE_ID = 0x5405;
    /** Octets of a data packet before its content: ANEP header 8, stream option 20, kind, flags and replier 4, tag 16. */
    public static final int DATA_OVERHEAD = Anep.HEADER_SIZE + 20 + 4 + SessionKey.TAG_LENGTH;

    static final int FLAG_REPAIR = 1;
    static final int FLAG_COOKIE = 2;

    /** The stream option: private, number 1. */
    private static final int STREAM_TAG = 0x8001;
    private static final int STREAM_WORDS = 5;
    private static final int COOKIE_AT = 4;

    private Codec() {
    }

    /**
     * A message as a packet; a data packet that is handed on is a slice of what came in.
     *
     * @return a buffer that the caller releases
     */
    public static ByteBuf encode(Message message, ByteBufAllocator allocator) {
        if (message instanceof Data data) {
            return data.packet() != null ? data.packet().retainedSlice() : data(data, allocator);
        }
        ByteBuf payload = allocator.buffer();
        try {
            Writer.write(message, payload);
            return new PacketBuilder(TYPE_ID).flags(Anep.FLAG_DISCARD_UNKNOWN).options(new PacketOptions().stream(message.session(), 0))
                    .payload(payload).build(allocator);
        } finally {
            payload.release();
        }
    }

    /** Written by hand: this is the path of every packet of content. */
    private static ByteBuf data(Data data, ByteBufAllocator allocator) {
        int cookie = data.cookie() == 0 ? 0 : Long.BYTES;
        int body = data.body().readableBytes();
        int length = DATA_OVERHEAD - SessionKey.TAG_LENGTH + cookie + body;
        ByteBuf out = allocator.buffer(length);
        head(out, length, data.session(), data.sequence(), (data.repair() ? FLAG_REPAIR : 0) | (cookie == 0 ? 0 : FLAG_COOKIE), data.replier());
        if (cookie > 0) {
            out.writeLong(data.cookie());
        }
        return out.writeBytes(data.body(), data.body().readerIndex(), body);
    }

    /**
     * A data packet made whole, with its tag.
     *
     * @param content lent during the call
     * @return with {@link Data#packet} set: a buffer that the caller releases
     */
    public static Data make(SessionKey key, long session, long sequence, boolean repair, ByteBuf content, ByteBufAllocator allocator) {
        int length = DATA_OVERHEAD + content.readableBytes();
        ByteBuf out = allocator.buffer(length);
        head(out, length, session, sequence, repair ? FLAG_REPAIR : 0, 0);
        int body = out.writerIndex();
        key.data(session, sequence, content, out);
        return new Data(session, sequence, repair, 0, 0, out.slice(body, length - body), out);
    }

    private static void head(ByteBuf out, int length, long session, long sequence, int flags, int replier) {
        out.writeByte(Anep.VERSION).writeByte(Anep.FLAG_DISCARD_UNKNOWN).writeShort(TYPE_ID);
        out.writeShort(Anep.HEADER_WORDS + STREAM_WORDS).writeShort(length);
        out.writeShort(STREAM_TAG).writeShort(STREAM_WORDS).writeLong(session).writeLong(sequence);
        out.writeByte(Kind.DATA.number()).writeByte(flags).writeShort(replier);
    }

    /**
     * The message in a packet, lent as the packet is. A data packet with a cookie is not handed on as it is: the cookie is for the reader
     * alone.
     *
     * @throws BadMessageException if it is none
     */
    public static Message decode(Packet packet) {
        if (packet.typeId() != TYPE_ID) {
            throw new BadMessageException("Type ID " + Anep.typeName(packet.typeId()));
        }
        ByteBuf buffer = packet.buffer();
        int at = packet.payloadOffset();
        int length = packet.payloadLength();
        if (length < COOKIE_AT) {
            throw new BadMessageException(length + " octets");
        }
        Kind kind = Kind.of(buffer.getUnsignedByte(at));
        if (kind == null) {
            throw new BadMessageException("kind " + buffer.getUnsignedByte(at));
        }
        long session = packet.has(OptionType.STREAM) ? packet.streamId() : 0;
        boolean ofAddress = kind == Kind.CHALLENGE || kind == Kind.ANSWER;
        if (!ofAddress && (session == 0) != (kind == Kind.LISTEN)) {
            throw new BadMessageException(kind + " with session " + session);
        }
        return kind == Kind.DATA ? data(packet, buffer, at, length, session) : Reader.read(kind, session, packet.payload());
    }

    private static Data data(Packet packet, ByteBuf buffer, int at, int length, long session) {
        int flags = buffer.getByte(at + 1);
        int before = COOKIE_AT;
        long cookie = 0;
        if ((flags & FLAG_COOKIE) != 0) {
            before += Long.BYTES;
            if (length >= before) {
                cookie = buffer.getLong(at + COOKIE_AT);
            }
        }
        if (length <= before + SessionKey.TAG_LENGTH) {
            throw new BadMessageException("a data packet without content");
        }
        return new Data(session, packet.sequence(), (flags & FLAG_REPAIR) != 0, buffer.getUnsignedShort(at + 2), cookie,
                buffer.slice(at + before, length - before), before == COOKIE_AT ? buffer.slice(packet.offset(), packet.length()) : null);
    }

    /** What the tag of a message covers: kind, session, and all fields that no hop changes. */
    static void writeTagged(Message.Tagged message, ByteBuf out) {
        Writer.writeTagged(message, out);
    }
}
