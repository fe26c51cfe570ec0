package org.tamanoir.anep;

/**
 * The options that Tamanoir knows. The public ones are those of the draft; the private ones mean the same under every Type ID that a
 * Tamanoir node runs. Layouts are in {@code docs/anep.md}.
 */
public enum OptionType {
    /** Draft option 1: scheme and address of the source. */
    SOURCE(1, false, false),
    /** Draft option 2: scheme and address of the destination. */
    DESTINATION(2, false, false),
    /** Draft option 3: one's complement checksum of the whole packet. */
    CHECKSUM(3, false, false),
    /** Draft option 4: scheme and authenticator. Carried, not evaluated. */
    AUTHENTICATION(4, false, false),

    /** 64-bit stream id, 64-bit sequence number. */
    STREAM(1, true, false),
    /** Destination port, and whether the egress delivers packets or their payload. */
    DELIVERY(2, true, true),
    /** Type IDs of the services that follow the one in the header. */
    CHAIN(3, true, true),
    /** Set by a node: its id and the port of its code server. */
    PREVIOUS_NODE(4, true, false),
    /** Hops left, and whether a node hands the packet over to others that serve it in its place. */
    HOPS(5, true, false),
    /** 64-bit QoS session code. */
    QOS_SESSION(6, true, false),
    /** Nanoseconds since 1970 by the sender's clock. */
    TIMESTAMP(7, true, false),
    /** How the payload is encoded, and its length before. */
    CONTENT_ENCODING(8, true, true),
    /** Error code and text; in packets of Type ID 0. */
    ERROR(9, true, false),
    /** Hop by hop: whether the connection carries another stream after this one. */
    CONNECTION(10, true, false),
    /** In a control packet over UDP: what a sender returns to show that it is where it says. */
    COOKIE(11, true, false),
    /** In a control packet over UDP: whether a next hop takes streams, asked or answered. */
    HOP_CHECK(12, true, false),
    /** In the first packet of a stream that outlives its nodes: which session it carries on. */
    RESUME(13, true, true),
    /** In a packet without payload of such a stream: how far who sends it is. */
    MARK(14, true, false),
    /** In a control packet over UDP: the payload is what a neighbour tells about the destinations that it reaches. */
    REACH(15, true, false),
    /** What services know of a stream that outlives its nodes, beside {@link #RESUME} or {@link #MARK}. */
    STATE(16, true, true),
    /** In the first packet of a stream: the last node is to say when the destination has accepted. In a packet back without payload: it has. */
    CONNECTED(17, true, true),
    /** In the first packet of a stream: which trace it belongs to, by W3C Trace Context. */
    TRACE(18, true, false),
    /** In the first packet of a stream, over UDP in each: what its source asks of services for this stream alone. */
    PARAMETERS(19, true, true);

    /** How many there are; fewer than 31, so that a set of them is an {@code int}. */
    static final int COUNT = values().length;

    private static final OptionType[] PUBLIC = new OptionType[5];
    private static final OptionType[] PRIVATE = new OptionType[20];

    static {
        for (OptionType type : values()) {
            (type.isPrivate ? PRIVATE : PUBLIC)[type.number] = type;
        }
    }

    private final int number;
    private final boolean isPrivate;
    private final boolean discardIfUnknown;

    OptionType(int number, boolean isPrivate, boolean discardIfUnknown) {
        this.number = number;
        this.isPrivate = isPrivate;
        this.discardIfUnknown = discardIfUnknown;
    }

    /** The 14-bit number. */
    public int number() {
        return number;
    }

    /** First bit of FLG: the number is private to the Type ID. */
    public boolean isPrivate() {
        return isPrivate;
    }

    /** Second bit of FLG as this project sends it: a node that does not know the option discards the packet. */
    public boolean discardIfUnknown() {
        return discardIfUnknown;
    }

    /** Those that may not stand before it in a packet, as bits of their ordinals: itself, and for what is said of a session the other kind. */
    int exclusive() {
        return 1 << ordinal() | (this == RESUME ? 1 << MARK.ordinal() : this == MARK ? 1 << RESUME.ordinal() : 0);
    }

    /** FLG and number: the first 16 bits of the option. */
    int tag() {
        return (isPrivate ? 0x8000 : 0) | (discardIfUnknown ? 0x4000 : 0) | number;
    }

    /** The type behind the first 16 bits of an option, or null if it is not known. The discard bit plays no part. */
    static OptionType ofTag(int tag) {
        int number = tag & 0x3FFF;
        OptionType[] known = (tag & 0x8000) == 0 ? PUBLIC : PRIVATE;
        return number < known.length ? known[number] : null;
    }
}
