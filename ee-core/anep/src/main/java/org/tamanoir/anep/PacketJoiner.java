package org.tamanoir.anep;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;

/**
 * Joins packets of one stream into one, whose payload is those packets, one after the other: content encoding 3. {@link PacketSplitter} takes
 * them apart. The header is that of the first, and the option; nothing is allocated for a packet but the buffer of the joined one.
 *
 * <pre>{@code
 * if (!joiner.fits(packet)) {
 *     send(joiner.take());
 * }
 * joiner.add(packet, allocator);
 * }</pre>
 */
public final class PacketJoiner {
    /** Packets in one: more than a datagram on an Ethernet has room for, and a bound to what one datagram can become. */
    public static final int MOST_PACKETS = 256;
    /** Octets of the option content encoding, tag and length included. */
    private static final int OPTION = 8;
    /** What nodes on the way change in a datagram: the joined packet shows what they have made of it, so it is the same in all. */
    static final OptionType[] CHANGED = {OptionType.SOURCE, OptionType.PREVIOUS_NODE, OptionType.HOPS};
    private static final int ABSENT = -1;

    private final int most;
    private final Packet first = new Packet();
    private ByteBuf held;
    private int headerLength;
    private int encoding;
    private int checksum;
    private int packets;

    /** @param most octets of a joined packet, header included: to {@link Anep#MAX_PACKET} */
    public PacketJoiner(int most) {
        if (most < Anep.HEADER_SIZE || most > Anep.MAX_PACKET) {
            throw new IllegalArgumentException("a joined packet of " + most + " octets; " + Anep.HEADER_SIZE + " to " + Anep.MAX_PACKET + " are possible");
        }
        this.most = most;
    }

    /** Whether {@link #add} takes the packet: there is room, it is not encoded, and it belongs together with those that are held. Its options have been checked. */
    public boolean fits(Packet packet) {
        if (packet.has(OptionType.CONTENT_ENCODING) || packet.typeId() == Anep.TYPE_ERROR || packet.typeId() == Anep.TYPE_CONTROL) {
            return false;
        }
        if (held == null) {
            return packet.headerLength() + OPTION + packet.length() <= most;
        }
        return packet.length() <= room() && packets < MOST_PACKETS && packet.typeId() == first.typeId() && packet.streamId() == first.streamId()
                && isSame(packet);
    }

    private boolean isSame(Packet packet) {
        for (OptionType type : CHANGED) {
            int here = first.find(type);
            int there = packet.find(type);
            if (here < 0 != there < 0) {
                return false;
            }
            if (here >= 0 && (first.optionSize(here) != packet.optionSize(there)
                    || !ByteBufUtil.equals(held, here, packet.buffer(), there, first.optionSize(here)))) {
                return false;
            }
        }
        return true;
    }

    /** Copies a packet that {@link #fits}. */
    public void add(Packet packet, ByteBufAllocator allocator) {
        if (held == null) {
            begin(packet, allocator);
        }
        held.writeBytes(packet.buffer(), packet.offset(), packet.length());
        if (++packets == 1) {
            first.wrap(held, headerLength, packet.length());
        }
    }

    /** The header of the first packet, with the option in its place among the others. */
    private void begin(Packet packet, ByteBufAllocator allocator) {
        held = allocator.directBuffer(most);
        int place = packet.firstOption();
        while (place >= 0 && isBeforeEncoding(OptionType.ofTag(packet.optionTag(place)))) {
            place = packet.nextOption(place);
        }
        place = place < 0 ? packet.payloadOffset() : place;
        encoding = place - packet.offset();
        int sum = packet.find(OptionType.CHECKSUM);
        checksum = sum < 0 ? ABSENT : sum - packet.offset() + Anep.WORD + (sum < place ? 0 : OPTION);
        held.writeBytes(packet.buffer(), packet.offset(), encoding);
        held.writeShort(OptionType.CONTENT_ENCODING.tag()).writeShort(OPTION / Anep.WORD).writeByte(ContentEncoding.JOINED.number()).writeByte(0).writeShort(0);
        held.writeBytes(packet.buffer(), place, packet.payloadOffset() - place);
        headerLength = held.writerIndex();
    }

    private static boolean isBeforeEncoding(OptionType type) {
        return type != null && type.ordinal() < OptionType.CONTENT_ENCODING.ordinal();
    }

    /** Packets that are held: 0 to {@link #MOST_PACKETS}. */
    public int packets() {
        return packets;
    }

    /** Octets of packets that may be added to those that are held. */
    public int room() {
        return most - held.writerIndex();
    }

    /** What is held, as one packet: the joined one, or where only one packet is held that packet as it came. The caller releases it. */
    public ByteBuf take() {
        ByteBuf taken = held;
        if (packets == 1) {
            taken.readerIndex(headerLength);
        } else {
            int length = taken.writerIndex();
            PacketBuilder.setHeader(taken, 0, first.flags(), first.typeId(), headerLength / Anep.WORD, length);
            taken.setShort(encoding + Anep.WORD + 2, length - headerLength);
            if (checksum != ABSENT) {
                taken.setInt(checksum, 0);
                taken.setShort(checksum, Checksum.of(taken, 0, length));
            }
        }
        held = null;
        packets = 0;
        return taken;
    }

    /** Lets go of what is held. */
    public void release() {
        if (held != null) {
            held.release();
            held = null;
            packets = 0;
        }
    }
}
