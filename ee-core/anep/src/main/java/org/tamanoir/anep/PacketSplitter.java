package org.tamanoir.anep;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Takes a packet apart that {@link PacketJoiner} has made. What the nodes on the way have written into the joined packet, such as the hops that
 * are left, is written into each packet in it: so they are as they would be if each had come alone.
 *
 * <p>A joined packet is good as a whole or not at all. Every packet in it is checked as one that comes from the network; it is of the same
 * stream and not encoded itself, so nothing is nested. They are at most {@value PacketJoiner#MOST_PACKETS}, and have no more octets than the joined
 * packet, except where the name of the source has become longer on the way.
 */
public final class PacketSplitter {
    private final Packet inner = new Packet();

    /**
     * The packets, one after the other; {@link Framing#each} shows them. The caller releases the buffer.
     *
     * @param joined of content encoding 3, its options checked
     * @throws MalformedPacketException with the code of what is wrong; EE-109 where the packets in it do not belong there
     */
    public ByteBuf split(Packet joined, ByteBufAllocator allocator) {
        int length = joined.payloadLength();
        if (length != joined.originalLength()) {
            throw bad("joined packets of " + joined.originalLength() + " octets have become " + length);
        }
        ByteBuf out = allocator.directBuffer(length);
        try {
            int end = joined.payloadOffset() + length;
            int packets = 0;
            for (int at = joined.payloadOffset(); at < end; at += inner.length()) {
                int size = Framing.packetLength(joined.buffer(), at, end - at);
                if (size == Framing.INCOMPLETE || ++packets > PacketJoiner.MOST_PACKETS) {
                    throw bad(packets > PacketJoiner.MOST_PACKETS ? "too many packets are joined" : "joined packets end inside a packet");
                }
                write(inner.wrap(joined.buffer(), at, size), joined, out);
            }
            return out;
        } catch (RuntimeException e) {
            out.release();
            throw e;
        }
    }

    private static void write(Packet packet, Packet joined, ByteBuf out) {
        packet.checkOptions();
        if (packet.typeId() != joined.typeId() || packet.streamId() != joined.streamId()) {
            throw bad("a packet of another stream is joined");
        }
        if (packet.has(OptionType.CONTENT_ENCODING)) {
            throw bad("a packet that is encoded itself is joined");
        }
        int begin = out.writerIndex();
        out.writeBytes(packet.buffer(), packet.offset(), packet.length());
        for (OptionType type : PacketJoiner.CHANGED) {
            int there = packet.find(type);
            int here = joined.find(type);
            if (there < 0) {
                continue;
            }
            if (here < 0) {
                throw bad("a packet says more than the joined one: " + type);
            }
            if (joined.optionSize(here) != packet.optionSize(there)) {
                rewrite(packet, joined, out.writerIndex(begin));
                return;
            }
            out.setBytes(begin + there - packet.offset(), joined.buffer(), here, joined.optionSize(here));
        }
        int checksum = packet.find(OptionType.CHECKSUM);
        if (checksum >= 0) {
            int field = begin + checksum - packet.offset() + Anep.WORD;
            out.setShort(field, 0);
            out.setShort(field, Checksum.of(out, begin, packet.length()));
        }
    }

    /** A packet whose header changes its length, because a node has named another kind of address. */
    private static void rewrite(Packet packet, Packet joined, ByteBuf out) {
        PacketOptions shown = joined.options();
        PacketOptions options = packet.options();
        options.source(options.source() == null ? null : shown.source());
        options.previousNode(options.previousNode() == null ? null : shown.previousNode());
        options.hops(options.hops() < 0 ? -1 : shown.hops()).handedOver(shown.handedOver());
        try {
            new PacketBuilder(packet.typeId()).flags(packet.flags()).options(options).payload(packet.payload()).writeTo(out);
        } catch (IllegalArgumentException e) {
            throw bad("a packet that was joined has no room for its source: " + e.getMessage());
        }
    }

    private static MalformedPacketException bad(String what) {
        return new MalformedPacketException(ErrorCode.BAD_CONTENT, what);
    }
}
