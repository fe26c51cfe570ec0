package org.tamanoir.anep;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * The options of one packet as an object: for opening a stream, for rewriting its first packet at a node, and for printing. What is not
 * set is not sent. Options that are not known are kept and written again as they were, after the known ones. A value that has no form on
 * the wire is an {@link IllegalArgumentException} where it is set.
 *
 * <pre>{@code
 * PacketOptions options = new PacketOptions()
 *         .destination(Identifier.of(address)).delivery(7000, Delivery.RAW)
 *         .stream(42, 0).chain(0x5403);
 * }</pre>
 */
public final class PacketOptions implements Cloneable {
    /** An option that is not known: FLG and number, and its value with the padding. */
    public record Unknown(int tag, byte[] value) {
        /** Whether its number is private to the Type ID. */
        public boolean isPrivate() {
            return (tag & 0x8000) != 0;
        }

        /** The 14-bit number. */
        public int number() {
            return tag & 0x3FFF;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Unknown that && tag == that.tag && Arrays.equals(value, that.value);
        }

        @Override
        public int hashCode() {
            return 31 * tag + Arrays.hashCode(value);
        }
    }

    /**
     * The node that a packet comes from: its id, and the port of its code server (0: it has none). With id 0 there is none before, and
     * the sender leaves room for the first.
     */
    public record PreviousNode(long id, int codePort) {
        /** Room for a node that names itself. */
        public static final PreviousNode NONE = new PreviousNode(0, 0);

        public PreviousNode {
            requireRange("code port", codePort, 0, 0xFFFF);
        }

        public boolean isNone() {
            return id == 0;
        }
    }

    /**
     * An error as it stands in a packet of Type ID 0.
     *
     * @param text may be null, which is no text; what exceeds {@link Anep#MAX_ERROR_TEXT} octets is not sent
     */
    public record ErrorReport(ErrorCode code, String text) {
        public ErrorReport {
            Objects.requireNonNull(code, "code");
            text = text == null ? "" : text;
        }

        /** What a packet of Type ID 0 says, EE-599 if it names no error; null for a packet of another type. */
        public static ErrorReport in(Packet packet) {
            if (packet.typeId() != Anep.TYPE_ERROR) {
                return null;
            }
            return packet.has(OptionType.ERROR) ? packet.options().error() : new ErrorReport(ErrorCode.INTERNAL, "an error packet that names no error");
        }

        /** To be thrown, or to be told. */
        public AnepException exception() {
            return new AnepException(code, text);
        }
    }

    private static final int[] NO_CHAIN = {};

    private Identifier source;
    private Identifier destination;
    private boolean checksum;
    private Identifier authentication;
    private boolean hasStream;
    private long streamId;
    private long sequence;
    private int port = -1;
    private Delivery delivery = Delivery.ANEP;
    private int[] chain = NO_CHAIN;
    private PreviousNode previousNode;
    private int hops = -1;
    private boolean handedOver;
    private long qosSession;
    private long timestamp;
    private long cookie;
    private ContentEncoding contentEncoding;
    private int originalLength;
    private ErrorReport error;
    private ConnectionUse connectionUse;
    private long connectionNode;
    private HopCheck hopCheck;
    private long hopCheckNumber;
    private SessionMessage session;
    private boolean reach;
    private boolean connected;
    private TraceContext trace;
    private List<StreamParameter> parameters = List.of();
    private List<Unknown> unknown = List.of();

    /** The same options, to be changed apart from these. */
    public PacketOptions copy() {
        try {
            PacketOptions copy = (PacketOptions) clone();
            copy.unknown = unknown.isEmpty() ? List.of() : new ArrayList<>(unknown);
            return copy;
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    /** The address of the source; null for none. */
    public PacketOptions source(Identifier source) {
        this.source = requireFit(source);
        return this;
    }

    /** The address of the destination; null for none. */
    public PacketOptions destination(Identifier destination) {
        this.destination = requireFit(destination);
        return this;
    }

    /** Asks the encoder to write a checksum over the whole packet. */
    public PacketOptions checksum(boolean checksum) {
        this.checksum = checksum;
        return this;
    }

    public PacketOptions authentication(Identifier authentication) {
        this.authentication = authentication;
        return this;
    }

    /**
     * A bearer token, as the authenticator of {@link Identifier#JSON_WEB_TOKEN}; null for none.
     *
     * @param token in its compact form, which is ASCII
     */
    public PacketOptions token(String token) {
        return authentication(token == null ? null : new Identifier(Identifier.JSON_WEB_TOKEN, token.getBytes(StandardCharsets.US_ASCII)));
    }

    public PacketOptions stream(long streamId, long sequence) {
        this.hasStream = true;
        this.streamId = streamId;
        this.sequence = sequence;
        return this;
    }

    /** The port at the destination, 1 to 65,535 (-1 for none), and the form in which the egress delivers. */
    public PacketOptions delivery(int port, Delivery delivery) {
        if (port != -1) {
            requireRange("port", port, 1, 0xFFFF);
        }
        this.port = port;
        this.delivery = Objects.requireNonNull(delivery, "delivery");
        return this;
    }

    /** The Type IDs of the services after the one in the header, in order, 1 to 65,535; at most {@value Anep#MAX_CHAIN}. */
    public PacketOptions chain(int... typeIds) {
        requireRange("length of a chain", typeIds.length, 0, Anep.MAX_CHAIN);
        for (int typeId : typeIds) {
            requireRange("Type ID in a chain", typeId, 1, 0xFFFF);
        }
        this.chain = typeIds.clone();
        return this;
    }

    public PacketOptions previousNode(PreviousNode previousNode) {
        this.previousNode = previousNode;
        return this;
    }

    /** Hops left, 0 to 255; -1 for no limit. */
    public PacketOptions hops(int hops) {
        requireRange("hops", hops, -1, 0xFF);
        this.hops = hops;
        return this;
    }

    /**
     * Whether a node hands the packet over to back ends that serve it in its place: they and the node are one node to all others, so the
     * hops stay, and who has got it hands it over to nobody. Stands with the hops, and is sent only where they are.
     */
    public PacketOptions handedOver(boolean handedOver) {
        this.handedOver = handedOver;
        return this;
    }

    /** The session code; 0 for none. */
    public PacketOptions qosSession(long qosSession) {
        this.qosSession = qosSession;
        return this;
    }

    /** Nanoseconds since 1970; 0 for none. */
    public PacketOptions timestamp(long timestamp) {
        this.timestamp = timestamp;
        return this;
    }

    /** What a sender over UDP returns to show that it is where it says; 0 for none. */
    public PacketOptions cookie(long cookie) {
        this.cookie = cookie;
        return this;
    }

    /** How the payload is encoded (null: it is not), and its octets before, 0 to 65,535. */
    public PacketOptions contentEncoding(ContentEncoding encoding, int originalLength) {
        requireRange("original length", originalLength, 0, 0xFFFF);
        this.contentEncoding = encoding;
        this.originalLength = originalLength;
        return this;
    }

    public PacketOptions error(ErrorReport error) {
        this.error = error;
        return this;
    }

    /**
     * What is said to the neighbour about the connection; null for nothing, which is what goes to the next hop.
     *
     * @param node who offers: the id of the node, 0 for a program; 0 where it is no offer
     */
    public PacketOptions connection(ConnectionUse use, long node) {
        this.connectionUse = use;
        this.connectionNode = node;
        return this;
    }

    /**
     * Whether a next hop takes streams, asked or answered; null for neither.
     *
     * @param number of the question, which the answer repeats
     */
    public PacketOptions hopCheck(HopCheck hopCheck, long number) {
        this.hopCheck = hopCheck;
        this.hopCheckNumber = number;
        return this;
    }

    /** What an end of a stream that outlives its nodes says; null for nothing. */
    public PacketOptions session(SessionMessage session) {
        this.session = session;
        return this;
    }

    /** Whether the payload is what a neighbour tells about the destinations that it reaches. */
    public PacketOptions reach(boolean reach) {
        this.reach = reach;
        return this;
    }

    /** In the first packet: whether the last node is to say when the destination has accepted. In a packet back: whether it has. */
    public PacketOptions connected(boolean connected) {
        this.connected = connected;
        return this;
    }

    /** In the first packet: the trace that the stream belongs to; null for none. */
    public PacketOptions trace(TraceContext trace) {
        this.trace = trace;
        return this;
    }

    /** In the first packet, over UDP in each: what the source asks of services; {@link StreamParameter#MOST_OCTETS} at most. */
    public PacketOptions parameters(List<StreamParameter> parameters) {
        requireRange("octets of parameters", parameters.stream().mapToInt(StreamParameter::size).sum(), 0, StreamParameter.MOST_OCTETS);
        this.parameters = List.copyOf(parameters);
        return this;
    }

    private static void requireRange(String what, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(what + " " + value + " is not " + least + " to " + most);
        }
    }

    private static Identifier requireFit(Identifier address) {
        if (address != null && address.addressSize() >= 0 && address.addressSize() != address.address().length) {
            throw new IllegalArgumentException("an address of scheme " + address.scheme() + " has " + address.addressSize()
                    + " octets, not " + address.address().length);
        }
        return address;
    }

    PacketOptions addUnknown(Unknown option) {
        if (unknown.isEmpty()) {
            unknown = new ArrayList<>(2);
        }
        unknown.add(option);
        return this;
    }

    /** The Source Identifier, or null. */
    public Identifier source() {
        return source;
    }

    /** The Destination Identifier, or null. */
    public Identifier destination() {
        return destination;
    }

    public boolean checksum() {
        return checksum;
    }

    /** Scheme and authenticator, or null. */
    public Identifier authentication() {
        return authentication;
    }

    /** The bearer token, or null. */
    public String token() {
        return authentication == null || authentication.scheme() != Identifier.JSON_WEB_TOKEN ? null
                : new String(authentication.address(), StandardCharsets.US_ASCII).trim();
    }

    public boolean hasStream() {
        return hasStream;
    }

    /** 0 where {@link #hasStream()} is false. */
    public long streamId() {
        return streamId;
    }

    public long sequence() {
        return sequence;
    }

    /** The destination's port, or -1. */
    public int port() {
        return port;
    }

    public Delivery delivery() {
        return delivery;
    }

    /** Type IDs after the one in the header; empty if there are none. */
    public int[] chain() {
        return chain.clone();
    }

    /** The node that the packet comes from, or null if it comes from an application. */
    public PreviousNode previousNode() {
        return previousNode;
    }

    public int hops() {
        return hops;
    }

    /** Whether a node has handed the packet over; false where there are no hops. */
    public boolean handedOver() {
        return handedOver && hops >= 0;
    }

    public long qosSession() {
        return qosSession;
    }

    public long timestamp() {
        return timestamp;
    }

    /** See {@link #cookie(long)}. */
    public long cookie() {
        return cookie;
    }

    /** How the payload is encoded, or null. */
    public ContentEncoding contentEncoding() {
        return contentEncoding;
    }

    public int originalLength() {
        return originalLength;
    }

    /** The error of an error packet, or null. */
    public ErrorReport error() {
        return error;
    }

    /** What the neighbour says about the connection, or null. */
    public ConnectionUse connectionUse() {
        return connectionUse;
    }

    /** Who offers; 0 for a program. */
    public long connectionNode() {
        return connectionNode;
    }

    /** What is asked or answered about taking streams, or null. */
    public HopCheck hopCheck() {
        return hopCheck;
    }

    /** The number of that question; 0 where there is none. */
    public long hopCheckNumber() {
        return hopCheckNumber;
    }

    /** What an end of a stream that outlives its nodes says, or null. */
    public SessionMessage session() {
        return session;
    }

    /** Whether the payload is what a neighbour tells about the destinations that it reaches. */
    public boolean reach() {
        return reach;
    }

    /** See {@link #connected(boolean)}. */
    public boolean connected() {
        return connected;
    }

    /** The trace that the stream belongs to, or null. */
    public TraceContext trace() {
        return trace;
    }

    /** What the source asks of services. */
    public List<StreamParameter> parameters() {
        return parameters;
    }

    public List<Unknown> unknown() {
        return List.copyOf(unknown);
    }
}
