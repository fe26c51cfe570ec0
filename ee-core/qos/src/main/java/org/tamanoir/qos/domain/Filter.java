package org.tamanoir.qos.domain;

import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;

/**
 * Packets of one kind, and their class.
 *
 * @param precedence says which kind, and which filter is asked first: 1 all, to be told their drop precedence, 100 ARP, 135 and 136 the ICMPv6 messages of these types, by which
 *                   neighbours find each other (RFC 4861), 200 to 263 the code points of IPv4, 300 to 363 those of IPv6
 * @param number     of the class
 */
record Filter(int precedence, int number) implements Comparable<Filter> {
    private static final int PRECEDENCES = 1;
    private static final int ARP = 100;
    private static final List<Integer> NEIGHBOURS = List.of(135, 136);
    private static final int IPV4 = 200;
    private static final int IPV6 = 300;
    private static final int CODE_POINTS = 64;
    /** The two bits below a code point are those of congestion notification (RFC 3168). */
    private static final int CODE_POINT_MASK = 0xfc;

    /** The packets of a code point. */
    static List<Filter> ofCodePoint(int codePoint, int number) {
        return List.of(new Filter(IPV4 + codePoint, number), new Filter(IPV6 + codePoint, number));
    }

    /** What tells queues the drop precedence of packets. @param number of the class that all filters name which choose none */
    static Filter ofPrecedences(int number) {
        return new Filter(PRECEDENCES, number);
    }

    /** What hosts of one link ask each other. */
    static List<Filter> ofNeighbours(int number) {
        return List.of(new Filter(ARP, number), new Filter(NEIGHBOURS.get(0), number), new Filter(NEIGHBOURS.get(1), number));
    }

    /** As {@code tc} names it. */
    String protocol() {
        return precedence == PRECEDENCES ? "all" : precedence == ARP ? "arp" : precedence >= IPV4 && precedence < IPV6 ? "ip" : "ipv6";
    }

    /** The code point that it is for, 0 to 63; empty if it is for neighbours. */
    OptionalInt codePoint() {
        return precedence < IPV4 ? OptionalInt.empty() : OptionalInt.of((precedence - IPV4) % (IPV6 - IPV4));
    }

    /** What it is and looks at, in words of {@code tc}. */
    String match() {
        if (precedence == PRECEDENCES) {
            return "bpf object-file " + PrecedenceProgram.NAME + " section tc classid";
        }
        return "u32 match " + fields() + " flowid";
    }

    /** {@code u32} or {@code bpf}. */
    String kind() {
        return precedence == PRECEDENCES ? "bpf" : "u32";
    }

    private String fields() {
        if (precedence == ARP) {
            return "u32 0 0";
        }
        if (precedence < IPV4) {
            return "ip6 protocol 58 0xff match u8 0x" + Integer.toHexString(precedence) + " 0xff at 40";
        }
        return String.format(Locale.ROOT, "%s 0x%02x 0x%02x", precedence < IPV6 ? "ip dsfield" : "ip6 priority", codePoint().getAsInt() << 2,
                CODE_POINT_MASK);
    }

    /** Whether it can be one of ours. */
    static boolean isKnown(int precedence) {
        return precedence == PRECEDENCES || precedence == ARP || NEIGHBOURS.contains(precedence) || precedence >= IPV4 && precedence < IPV4 + CODE_POINTS
                || precedence >= IPV6 && precedence < IPV6 + CODE_POINTS;
    }

    @Override
    public int compareTo(Filter other) {
        return precedence != other.precedence ? precedence - other.precedence : number - other.number;
    }
}
