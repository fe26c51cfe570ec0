package org.tamanoir.node.routing.told;

import io.netty.buffer.ByteBuf;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.MalformedPacketException;
import org.tamanoir.service.rule.Prefix;

/**
 * What one neighbour says to another; {@code docs/anep.md} has the octets.
 *
 * @param kind    whether the sender has accepted the session of the receiver
 * @param node    id of the sender, not 0
 * @param session of the sender with this neighbour, not 0: drawn anew whenever it forgot what the neighbour said
 * @param yours   the session of the receiver, as the sender knows it; 0 if it knows none
 * @param number  of this message, counted up from 1 by the sender
 * @param echo    the highest number that the sender has seen in session {@code yours}; 0 for none
 * @param told    ways, at most {@link #MOST_PREFIXES} with {@code asked}
 * @param asked   prefixes to which the sender lacks a way of a round that it may take; the metric is {@link ToldPrefix#UNREACHABLE}
 */
public record ToldMessage(Kind kind, long node, long session, long yours, long number, long echo, List<ToldPrefix> told, List<ToldPrefix> asked) {
    /** Whether a message counts. */
    public enum Kind {
        /** The sender looks for the session of the receiver. It tells nothing. */
        HELLO,
        /** The sender knows the session of the receiver and holds nothing of an earlier one. */
        TOLD,
        /** The same, and the sender asks to be told everything anew: it may believe more than before. */
        ANEW;

        private static final Kind[] ALL = values();
    }

    /** Octets before the prefixes. */
    public static final int FIXED = 48;
    /** Prefixes in a message. With IPv6 alone it has 48 + 40 · 28 = 1,168 octets: with all headers it fits the smallest MTU of IPv6, 1,280. */
    public static final int MOST_PREFIXES = 40;
    private static final int IPV4 = 4;
    private static final int IPV6 = 6;
    private static final int ASKED = 0x80;

    public ToldMessage {
        told = List.copyOf(told);
        asked = List.copyOf(asked);
    }

    /** Octets of the message. */
    public int size() {
        return FIXED + told.stream().mapToInt(ToldMessage::size).sum() + asked.stream().mapToInt(ToldMessage::size).sum();
    }

    private static int size(ToldPrefix each) {
        return each.prefix().network() instanceof Inet4Address ? 16 : 28;
    }

    /** Writes it at the writer index. */
    public void write(ByteBuf out) {
        out.writeByte(kind.ordinal()).writeMedium(0).writeByte(0).writeByte(0).writeShort(told.size() + asked.size());
        out.writeLong(node).writeLong(session).writeLong(yours).writeLong(number).writeLong(echo);
        told.forEach(each -> write(out, each, 0));
        asked.forEach(each -> write(out, each, ASKED));
    }

    private static void write(ByteBuf out, ToldPrefix each, int flag) {
        byte[] address = each.prefix().network().getAddress();
        out.writeByte(flag | (address.length == 4 ? IPV4 : IPV6)).writeByte(each.prefix().length()).writeShort(each.metric());
        out.writeLong(each.sequence()).writeBytes(address);
    }

    /**
     * Reads a message that is all of a payload. Nothing is allocated for a count before the octets are there.
     *
     * @throws MalformedPacketException EE-108 for anything that {@link #write} does not write
     */
    public static ToldMessage read(ByteBuf in, int offset, int length) throws MalformedPacketException {
        require(length >= FIXED, "it has " + length + " octets and not " + FIXED + " or more");
        int kind = in.getUnsignedByte(offset);
        require(kind < Kind.ALL.length, "its kind is " + kind);
        int count = in.getUnsignedShort(offset + 6);
        require(count <= MOST_PREFIXES, "it has " + count + " prefixes, more than " + MOST_PREFIXES);
        long[] fields = new long[5];
        for (int i = 0; i < fields.length; i++) {
            fields[i] = in.getLong(offset + 8 + 8 * i);
        }
        require(fields[0] != 0 && fields[1] != 0, "its node or session is 0");
        require(fields[3] > 0 && fields[4] >= 0, "its numbers are negative");
        List<ToldPrefix> told = new ArrayList<>();
        List<ToldPrefix> asked = new ArrayList<>();
        int at = offset + FIXED;
        int end = offset + length;
        for (int i = 0; i < count; i++) {
            require(end - at >= 16, "it ends before its prefixes do");
            int family = in.getUnsignedByte(at) & ~ASKED;
            require(family == IPV4 || family == IPV6, "the family of a prefix is " + family);
            int octets = family == IPV4 ? 4 : 16;
            require(end - at >= 12 + octets, "it ends before its prefixes do");
            boolean wanted = (in.getUnsignedByte(at) & ASKED) != 0;
            int metric = in.getUnsignedShort(at + 2);
            long sequence = in.getLong(at + 4);
            require(sequence >= 0 && (!wanted || metric == ToldPrefix.UNREACHABLE), "a prefix has a negative sequence, or one that is asked for a metric");
            byte[] address = new byte[octets];
            in.getBytes(at + 12, address);
            (wanted ? asked : told).add(new ToldPrefix(prefix(address, in.getUnsignedByte(at + 1)), sequence, metric));
            at += 12 + octets;
        }
        require(at == end, (end - at) + " octets follow its prefixes");
        require(kind != Kind.HELLO.ordinal() || count == 0, "a hello has prefixes");
        return new ToldMessage(Kind.ALL[kind], fields[0], fields[1], fields[2], fields[3], fields[4], told, asked);
    }

    private static Prefix prefix(byte[] address, int length) throws MalformedPacketException {
        require(length <= address.length * 8, "a prefix has " + length + " bits");
        try {
            InetAddress network = InetAddress.getByAddress(address);
            require(network.getAddress().length == address.length, "an address of IPv4 is written as one of IPv6");
            for (int bit = length; bit < address.length * 8; bit++) {
                require((address[bit >> 3] & 0x80 >> (bit & 7)) == 0, "a prefix has bits behind its length");
            }
            return new Prefix(network, length);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void require(boolean good, String otherwise) throws MalformedPacketException {
        if (!good) {
            throw new MalformedPacketException(ErrorCode.BAD_OPTION_VALUE, "what a neighbour tells is malformed: " + otherwise);
        }
    }
}
