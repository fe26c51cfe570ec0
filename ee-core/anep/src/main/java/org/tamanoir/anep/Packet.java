package org.tamanoir.anep;

import io.netty.buffer.ByteBuf;

/**
 * One ANEP packet: a view on the buffer that it came in. A view can be moved on to the next packet by its owner, so it is valid only
 * during the call that hands it over; {@link #retain()} makes one that stays.
 *
 * <p>Reading does not move the buffer's indices and checks nothing twice: the header was checked by {@link Framing} when the packet was
 * found. Call {@link #checkOptions()} before you read an option; the view remembers where options stand and that they are good, so asking
 * again costs nothing. The setters keep that knowledge right. Whoever writes into {@link #buffer()} {@linkplain #wrap wraps} the packet anew.
 *
 * <pre>{@code
 * long sequence = packet.has(OptionType.STREAM) ? packet.sequence() : -1;
 * ByteBuf payload = packet.payload();      // a slice: no copy, no reference taken
 * }</pre>
 */
public final class Packet {
    private Keeper keeper;
    private ByteBuf buffer;
    private int offset;
    private int length;
    private long header;
    private long receivedNanos;
    private int codePoint;
    /** Where each option's tag stands from the packet's first octet on, by ordinal of its type; made when a packet with options first needs it. */
    private short[] index;
    /** The types that {@link #index} holds, a bit for each ordinal; {@link #NOT_INDEXED} until somebody asks. */
    private int present = NOT_INDEXED;
    private boolean checked;

    /** An empty view, for {@link #wrap}. */
    public Packet() {
    }

    /** A view on a buffer that holds exactly one packet; checks the header. The caller keeps the reference. */
    public static Packet of(ByteBuf buffer) {
        Framing.checkDatagram(buffer, buffer.readerIndex(), buffer.readableBytes());
        return new Packet().wrap(buffer, buffer.readerIndex(), buffer.readableBytes());
    }

    /** Moves this view to a packet that {@link Framing} has found. */
    public Packet wrap(ByteBuf buffer, int offset, int length) {
        this.buffer = buffer;
        this.offset = offset;
        this.length = length;
        this.header = buffer.getLong(offset);
        this.codePoint = 0;
        this.present = hasOptions() ? NOT_INDEXED : 0;
        this.checked = present == 0;
        return this;
    }

    /** Sets when the packet was read from its socket, {@link System#nanoTime()}. */
    public Packet receivedNanos(long nanos) {
        this.receivedNanos = nanos;
        return this;
    }

    /** When the read that brought this packet returned, by {@link System#nanoTime()}; packets of one read share it. */
    public long receivedNanos() {
        return receivedNanos;
    }

    /** The DiffServ code point (RFC 2474) with which the packet is to leave, 0 to 63; 0 for a packet that nobody has marked. */
    public int codePoint() {
        return codePoint;
    }

    /** Sets the code point with which the packet is to leave. Not part of its octets. */
    public Packet codePoint(int newCodePoint) {
        this.codePoint = newCodePoint;
        return this;
    }

    /** The buffer underneath, with other packets before and after this one. */
    public ByteBuf buffer() {
        return buffer;
    }

    /** Where in {@link #buffer()} the packet begins. */
    public int offset() {
        return offset;
    }

    /** Octets, header and payload: 8 to 65,535. */
    public int length() {
        return length;
    }

    public int flags() {
        return Anep.flags(header);
    }

    /** Whether a node that does not know the Type ID shall discard the packet. */
    public boolean discardIfUnknown() {
        return (flags() & Anep.FLAG_DISCARD_UNKNOWN) != 0;
    }

    /** 0 to 65,535. */
    public int typeId() {
        return Anep.typeId(header);
    }

    /** Octets, options included: a multiple of four, at least 8. */
    public int headerLength() {
        return Anep.headerWords(header) * Anep.WORD;
    }

    public boolean hasOptions() {
        return Anep.headerWords(header) > Anep.HEADER_WORDS;
    }

    public int payloadLength() {
        return length - headerLength();
    }

    /** Where in {@link #buffer()} the payload begins. */
    public int payloadOffset() {
        return offset + headerLength();
    }

    /** The payload as a slice that shares the buffer and its reference count; none is taken. */
    public ByteBuf payload() {
        return buffer.slice(payloadOffset(), payloadLength());
    }

    /** The whole packet as a slice that holds a reference of its own: the receiver releases it. */
    public ByteBuf retainedSlice() {
        return buffer.retainedSlice(offset, length);
    }

    /** Whoever counts what is kept of the packets that pass. */
    @FunctionalInterface
    public interface Keeper {
        /**
         * Octets are kept, or given back if the number is negative.
         *
         * @throws AnepException EE-309 if that is more than may be kept
         */
        void keep(long octets);
    }

    /** Names who counts the packets that {@link #retain()} makes of this view; null for nobody. */
    public Packet keptBy(Keeper newKeeper) {
        keeper = newKeeper;
        return this;
    }

    /**
     * A packet that stays valid after the call, with its time and code point and all that is known of it; {@link #release()} it when done.
     * No octet is copied.
     *
     * @throws AnepException EE-309 if a node lends the packet and the service keeps as many octets as it may
     */
    public Packet retain() {
        if (keeper != null) {
            keeper.keep(length);
        }
        Packet kept = new Packet().wrap(retainedSlice(), 0, length).receivedNanos(receivedNanos).codePoint(codePoint).keptBy(keeper);
        kept.checked = checked;
        return kept;
    }

    /** Gives a packet back that {@link #retain()} made. */
    public void release() {
        buffer.release();
        if (keeper != null) {
            keeper.keep(-length);
        }
    }

    // Options. One walk finds them all; later questions are a bit and a number.

    /** Octets of the option that names the node before. */
    public static final int PREVIOUS_NODE_SIZE = 16;
    private static final int NONE = -1;
    /** The highest bit: no type has it, as there are fewer than 31. */
    private static final int NOT_INDEXED = 1 << 31;
    /** Of the octet behind the number of hops. */
    static final int HANDED_OVER = 0x80;
    private static final long MAPPED = 0xFFFF_0000_0000L;

    /** Offset of the first option's tag, or -1. */
    int firstOption() {
        return hasOptions() ? offset + Anep.HEADER_SIZE : NONE;
    }

    /** Offset of the tag of the option after the one at {@code at}, or -1; also where the walk would stand still, on an unchecked 0. */
    int nextOption(int at) {
        int next = at + optionSize(at);
        return next > at && next < payloadOffset() ? next : NONE;
    }

    int optionTag(int at) {
        return buffer.getUnsignedShort(at);
    }

    /** Octets of the option at {@code at}, tag and length included. */
    int optionSize(int at) {
        return buffer.getUnsignedShort(at + 2) * Anep.WORD;
    }

    /** Offset of the tag of the option of a type, the first if unchecked options repeat it, or -1. */
    int find(OptionType type) {
        if (present == NOT_INDEXED) {
            present = 0;
            for (int at = firstOption(); at >= 0; at = nextOption(at)) {
                OptionType found = OptionType.ofTag(optionTag(at));
                if (found != null && (present & 1 << found.ordinal()) == 0) {
                    note(found, at);
                }
            }
        }
        return (present & 1 << type.ordinal()) == 0 ? NONE : offset + (index[type.ordinal()] & 0xFFFF);
    }

    private void note(OptionType type, int at) {
        if (index == null) {
            index = new short[OptionType.COUNT];
        }
        index[type.ordinal()] = (short) (at - offset);
        present |= 1 << type.ordinal();
    }

    /** Offset of the value of an option that must be there. */
    private int value(OptionType type) {
        int at = find(type);
        if (at < 0) {
            throw new IllegalStateException("the packet carries no option " + type);
        }
        return at + Anep.WORD;
    }

    public boolean has(OptionType type) {
        return find(type) >= 0;
    }

    /**
     * Checks everything about the options: their lengths, the size of the known ones, the checksum if there is one, and that no unknown
     * option asks for a discard. A known option may stand once: two readers could take two different ones. Costs nothing for a packet
     * without options, and for one that has been found good before.
     *
     * @throws MalformedPacketException with the code of what is wrong
     */
    public void checkOptions() {
        if (checked) {
            return;
        }
        int end = payloadOffset();
        present = 0;
        try {
            for (int at = offset + Anep.HEADER_SIZE; at < end; at += optionSize(at)) {
                checkOption(at, end);
            }
            checked = true;
        } finally {
            if (!checked) {
                present = NOT_INDEXED;
            }
        }
    }

    private void checkOption(int at, int end) {
        int size = optionSize(at);
        if (size == 0 || at + size > end) {
            throw new MalformedPacketException(ErrorCode.BAD_OPTION_LENGTH, "an option of " + size + " octets with "
                    + (end - at) + " octets of header left");
        }
        int tag = optionTag(at);
        OptionType type = OptionType.ofTag(tag);
        if (type == null) {
            if ((tag & 0x4000) != 0) {
                throw new MalformedPacketException(ErrorCode.UNKNOWN_OPTION, ((tag & 0x8000) != 0 ? "private" : "public")
                        + " option " + (tag & 0x3FFF) + " is not known and asks for a discard");
            }
            return;
        }
        if ((present & type.exclusive()) != 0) {
            throw new MalformedPacketException(ErrorCode.BAD_OPTION_VALUE, "option " + type + " stands twice, or beside one that excludes it");
        }
        note(type, at);
        OptionReader.check(type, buffer, at + Anep.WORD, size - Anep.WORD);
        if (type == OptionType.CHECKSUM && Checksum.of(buffer, offset, length) != 0) {
            throw new MalformedPacketException(ErrorCode.BAD_CHECKSUM, "the checksum does not match");
        }
    }

    /** The options as an object, for the first packet of a stream and for printing. Call {@link #checkOptions()} first. */
    public PacketOptions options() {
        return OptionReader.read(this);
    }

    /** The stream id, or 0 if the packet carries none. */
    public long streamId() {
        int at = find(OptionType.STREAM);
        return at < 0 ? 0 : buffer.getLong(at + 4);
    }

    /** The cookie, or 0 if the packet carries none. */
    public long cookie() {
        int at = find(OptionType.COOKIE);
        return at < 0 ? 0 : buffer.getLong(at + 4);
    }

    /** What is asked or answered about taking streams, or null if the packet says nothing of it. */
    public HopCheck hopCheck() {
        int at = find(OptionType.HOP_CHECK);
        return at < 0 ? null : HopCheck.of(buffer.getUnsignedByte(at + 4));
    }

    /** The number of that question; ask {@link #hopCheck} first. */
    public long hopCheckNumber() {
        return buffer.getLong(find(OptionType.HOP_CHECK) + 8);
    }

    /** Whether one end of a stream that outlives its nodes speaks to the other, and there is nothing else in the packet: no service is shown it. */
    public boolean isMark() {
        return hasOptions() && payloadLength() == 0 && has(OptionType.MARK);
    }

    /** Whether the last node says that the destination has accepted, and there is nothing else in the packet: no service is shown it. */
    public boolean isConnected() {
        return hasOptions() && payloadLength() == 0 && has(OptionType.CONNECTED);
    }

    /** The QoS session code, or 0 if the packet carries none. */
    public long qosSession() {
        int at = find(OptionType.QOS_SESSION);
        return at < 0 ? 0 : buffer.getLong(at + 4);
    }

    /** Whether the packet names an IPv4 or IPv6 address as its destination. */
    public boolean hasDestination() {
        int at = find(OptionType.DESTINATION);
        return at >= 0 && (buffer.getInt(at + 4) == Identifier.IPV4 || buffer.getInt(at + 4) == Identifier.IPV6);
    }

    /** The first 64 bits of the destination as an IPv6 address, IPv4 mapped into it (RFC 4291 section 2.5.5.2); ask {@link #hasDestination} first. */
    public long destinationHigh() {
        int at = find(OptionType.DESTINATION);
        return buffer.getInt(at + 4) == Identifier.IPV4 ? 0 : buffer.getLong(at + 8);
    }

    /** The last 64 bits of it. */
    public long destinationLow() {
        int at = find(OptionType.DESTINATION);
        return buffer.getInt(at + 4) == Identifier.IPV4 ? MAPPED | buffer.getUnsignedInt(at + 8) : buffer.getLong(at + 16);
    }

    /** The sequence number; ask {@link #has has(STREAM)} first. */
    public long sequence() {
        return buffer.getLong(value(OptionType.STREAM) + 8);
    }

    /** Hops left, or -1 if the packet carries no limit. */
    public int hops() {
        int at = find(OptionType.HOPS);
        return at < 0 ? -1 : buffer.getUnsignedByte(at + 4);
    }

    /**
     * Writes another number of hops, 0 to 255, into the packet where it stands, and carries the change into the checksum if there is
     * one: a packet that was damaged before stays recognisable. The packet must carry the option and its buffer must belong to the
     * caller alone.
     *
     * @throws IllegalArgumentException if the number does not fit
     * @throws IllegalStateException    if the packet does not carry the option
     */
    public void setHops(int hops) {
        if (hops < 0 || hops > 255) {
            throw new IllegalArgumentException(hops + " hops; 0 to 255 fit");
        }
        int at = value(OptionType.HOPS);
        setWord(at, hops << 8 | buffer.getUnsignedByte(at + 1));
    }

    /** Whether a node has handed the packet over to back ends that serve it in its place; see {@link PacketOptions#handedOver}. */
    public boolean isHandedOver() {
        int at = find(OptionType.HOPS);
        return at >= 0 && (buffer.getUnsignedByte(at + 5) & HANDED_OVER) != 0;
    }

    /** Writes whether a node hands the packet over; on the terms of {@link #setHops}. */
    public void setHandedOver(boolean handedOver) {
        int at = value(OptionType.HOPS);
        int before = buffer.getUnsignedShort(at);
        int after = handedOver ? before | HANDED_OVER : before & ~HANDED_OVER;
        if (after != before) {
            setWord(at, after);
        }
    }

    /** Writes another previous node into the packet where it stands; on the terms of {@link #setHops}. */
    public void setPreviousNode(long id, int codePort) {
        int at = value(OptionType.PREVIOUS_NODE);
        int option = find(OptionType.CHECKSUM);
        if (option >= 0) {
            int field = option + Anep.WORD;
            int checksum = Checksum.update(buffer.getUnsignedShort(field), buffer.getUnsignedShort(at + 8), codePort);
            long before = buffer.getLong(at);
            for (int shift = 0; shift < Long.SIZE; shift += Short.SIZE) {
                checksum = Checksum.update(checksum, (int) (before >>> shift) & 0xFFFF, (int) (id >>> shift) & 0xFFFF);
            }
            buffer.setShort(field, checksum);
        }
        buffer.setLong(at, id);
        buffer.setShort(at + 8, codePort);
    }

    /** The id of the node before; 0 if the packet names none, or has only room for one. */
    public long previousNode() {
        int at = find(OptionType.PREVIOUS_NODE);
        return at < 0 ? 0 : buffer.getLong(at + 4);
    }

    /** Whether {@link #namePreviousNode} can write this packet with one more option and everything else as it is. */
    public boolean canNamePreviousNode() {
        return find(OptionType.PREVIOUS_NODE) < 0 && find(OptionType.CHECKSUM) < 0 && find(OptionType.CONNECTION) < 0
                && length + PREVIOUS_NODE_SIZE <= Anep.MAX_PACKET;
    }

    /**
     * Writes this packet with the option that names the node before, in its place among the others. Only if {@link #canNamePreviousNode}.
     *
     * @param out  gets {@link #PREVIOUS_NODE_SIZE} octets more than this packet has
     * @param view is moved to what was written; it knows of it what this view knows
     */
    public void namePreviousNode(long id, int codePort, ByteBuf out, Packet view) {
        int begin = out.writerIndex();
        int rest = firstOption();
        while (rest >= 0 && isBeforePreviousNode(OptionType.ofTag(optionTag(rest)))) {
            rest = nextOption(rest);
        }
        rest = rest < 0 ? payloadOffset() : rest;
        out.writeBytes(buffer, offset, rest - offset);
        out.writeShort(OptionType.PREVIOUS_NODE.tag()).writeShort(PREVIOUS_NODE_SIZE / Anep.WORD).writeLong(id).writeShort(codePort).writeShort(0);
        out.writeBytes(buffer, rest, offset + length - rest);
        PacketBuilder.setHeader(out, begin, flags(), typeId(), (headerLength() + PREVIOUS_NODE_SIZE) / Anep.WORD, length + PREVIOUS_NODE_SIZE);
        view.wrap(out, begin, length + PREVIOUS_NODE_SIZE);
        view.checked = checked;
    }

    private static boolean isBeforePreviousNode(OptionType type) {
        return type != null && type.ordinal() < OptionType.PREVIOUS_NODE.ordinal();
    }

    /** Writes 16 bits at an even offset of the packet and carries the change into the checksum. */
    private void setWord(int at, int value) {
        int before = buffer.getUnsignedShort(at);
        buffer.setShort(at, value);
        int option = find(OptionType.CHECKSUM);
        if (option >= 0) {
            int field = option + Anep.WORD;
            buffer.setShort(field, Checksum.update(buffer.getUnsignedShort(field), before, value));
        }
    }

    /** The content encoding, or null if the payload is as the source sent it. */
    public ContentEncoding contentEncoding() {
        int at = find(OptionType.CONTENT_ENCODING);
        return at < 0 ? null : ContentEncoding.of(buffer.getUnsignedByte(at + 4));
    }

    /** Octets of the payload before its encoding; ask {@link #contentEncoding()} first. */
    public int originalLength() {
        return buffer.getUnsignedShort(value(OptionType.CONTENT_ENCODING) + 2);
    }

    /** Whether the packet is between neighbours and no part of a stream: it is never shown to a service, a program or the next hop. */
    public boolean isControl() {
        return typeId() == Anep.TYPE_CONTROL;
    }

    /** What the packet says about the connection that it came on, or null. An offer counts only if {@link #offersConnection()}. */
    public ConnectionUse connectionUse() {
        int at = find(OptionType.CONNECTION);
        return at < 0 ? null : ConnectionUse.of(buffer.getUnsignedByte(at + 4));
    }

    /**
     * Whether the sender of the packet offers its connection for another stream: the offer names the previous node, or 0 where there is
     * none. An offer that a node has passed on, because it does not know the option, names somebody else and does not count.
     */
    public boolean offersConnection() {
        if (connectionUse() != ConnectionUse.OFFER) {
            return false;
        }
        int previous = find(OptionType.PREVIOUS_NODE);
        return buffer.getLong(value(OptionType.CONNECTION) + 4) == (previous < 0 ? 0 : buffer.getLong(previous + 4));
    }

    @Override
    public String toString() {
        return buffer == null ? "Packet(empty)" : "Packet(type " + Anep.typeName(typeId()) + ", " + length + " octets, payload "
                + payloadLength() + ")";
    }
}
