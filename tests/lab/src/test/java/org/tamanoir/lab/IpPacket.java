package org.tamanoir.lab;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * An IP packet as it came: IPv4, or IPv6 without extension headers but that of fragments.
 *
 * @param octets       all of it
 * @param version      4 or 6
 * @param protocol     of what it carries: {@link #TCP}, {@link #UDP}
 * @param trafficClass the octet of the code point and the congestion bits
 * @param hops         time to live, or hop limit
 * @param fragment     whether it is a part of a packet; one that is not the first has no ports
 * @param source       with port 0 where there are no ports
 * @param destination  likewise
 * @param payload      behind the header of UDP; of other protocols, behind that of IP
 */
public record IpPacket(byte[] octets, int version, int protocol, int trafficClass, int hops, boolean fragment, InetSocketAddress source,
                       InetSocketAddress destination, byte[] payload) {
    public static final int TCP = 6;
    public static final int UDP = 17;
    private static final int FRAGMENT = 44;
    private static final int UDP_HEADER = 8;

    /** The packet of some octets; null if they are none. */
    static IpPacket read(byte[] octets) {
        int version = octets.length == 0 ? 0 : (octets[0] & 0xF0) >> 4;
        if (version == 4 && octets.length >= 20) {
            int header = (octets[0] & 0xF) * 4;
            int offset = word(octets, 6) & 0x3FFF;
            return of(octets, 4, octets[9] & 0xFF, octets[1] & 0xFF, octets[8] & 0xFF, header, offset, 12, 4);
        }
        if (version == 6 && octets.length >= 40) {
            boolean part = octets[6] == FRAGMENT && octets.length >= 48;
            return of(octets, 6, octets[part ? 40 : 6] & 0xFF, word(octets, 0) >> 4 & 0xFF, octets[7] & 0xFF, part ? 48 : 40,
                    part ? word(octets, 42) & 0xFFF9 : 0, 8, 16);
        }
        return null;
    }

    /**
     * The datagrams of a run as a card would cut it: a sender hands several over as one, and a virtual link carries them so (UDP_SEGMENT).
     *
     * @param run     without fragments or extension headers
     * @param segment octets of payload of each but the last
     */
    static List<IpPacket> cut(byte[] run, int segment) {
        boolean four = (run[0] & 0xF0) >> 4 == 4;
        int header = (four ? (run[0] & 0xF) * 4 : 40) + UDP_HEADER;
        List<IpPacket> packets = new ArrayList<>();
        for (int at = header; at < run.length; at += segment) {
            int payload = Math.min(segment, run.length - at);
            byte[] octets = Arrays.copyOf(run, header + payload);
            System.arraycopy(run, at, octets, header, payload);
            put(octets, four ? 2 : 4, four ? octets.length : payload + UDP_HEADER);
            put(octets, header - 4, payload + UDP_HEADER);
            put(octets, header - 2, fold(sum(octets, four ? 12 : 8, four ? 20 : 40) + UDP + payload + UDP_HEADER));
            packets.add(read(octets));
        }
        return packets;
    }

    private static void put(byte[] octets, int at, int word) {
        octets[at] = (byte) (word >> 8);
        octets[at + 1] = (byte) word;
    }

    private static IpPacket of(byte[] octets, int version, int protocol, int trafficClass, int hops, int header, int fragment, int addresses,
                               int size) {
        boolean first = version == 4 ? (fragment & 0x1FFF) == 0 : (fragment & 0xFFF8) == 0;
        boolean ports = first && (protocol == TCP || protocol == UDP) && octets.length >= header + UDP_HEADER;
        int total = version == 4 ? word(octets, 2) : word(octets, 4) + 40;
        int payload = ports && protocol == UDP ? header + UDP_HEADER : header;
        return new IpPacket(octets, version, protocol, trafficClass, hops, fragment != 0,
                address(octets, addresses, size, ports ? word(octets, header) : 0),
                address(octets, addresses + size, size, ports ? word(octets, header + 2) : 0),
                Arrays.copyOfRange(octets, Math.min(payload, octets.length), Math.max(payload, Math.min(total, octets.length))));
    }

    private static int word(byte[] octets, int at) {
        return (octets[at] & 0xFF) << 8 | octets[at + 1] & 0xFF;
    }

    private static InetSocketAddress address(byte[] octets, int at, int size, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(Arrays.copyOfRange(octets, at, at + size)), port);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The differentiated services code point. */
    public int dscp() {
        return trafficClass >> 2;
    }

    /** Whether it is a UDP packet to a port. */
    public boolean isTo(int port) {
        return protocol == UDP && destination.getPort() == port;
    }

    /**
     * Whether the checksum of a UDP packet is good: none (IPv4 alone), that of the packet, or what a sender leaves to the network card,
     * which is the sum of the pseudo-header alone.
     */
    public boolean hasGoodChecksum() {
        int header = octets.length - payload.length - UDP_HEADER;
        int given = word(octets, header + 6);
        if (given == 0) {
            return version == 4;
        }
        int size = version == 4 ? 8 : 32;
        int start = version == 4 ? 12 : 8;
        long pseudo = sum(octets, start, start + size) + UDP + payload.length + UDP_HEADER;
        return fold(pseudo) == given || fold(pseudo + sum(octets, header, octets.length)) == 0xFFFF;
    }

    /** Puts the checksum of TCP, and none of UDP, into an IPv4 packet that is no fragment. */
    static void putChecksum(byte[] octets) {
        int header = (octets[0] & 0xF) * 4;
        int at = header + (octets[9] == TCP ? 16 : 6);
        if (octets[9] != TCP && octets[9] != UDP || (word(octets, 6) & 0x3FFF) != 0 || octets.length < at + 2) {
            return;
        }
        octets[at] = 0;
        octets[at + 1] = 0;
        if (octets[9] == TCP) {
            int sum = ~fold(sum(octets, 12, 20) + TCP + octets.length - header + sum(octets, header, octets.length));
            put(octets, at, sum);
        }
    }

    private static long sum(byte[] octets, int from, int to) {
        long sum = 0;
        for (int i = from; i < to; i++) {
            sum += (i - from) % 2 == 0 ? (octets[i] & 0xFF) << 8 : octets[i] & 0xFF;
        }
        return sum;
    }

    private static int fold(long sum) {
        long folded = sum;
        while (folded >> 16 != 0) {
            folded = (folded & 0xFFFF) + (folded >> 16);
        }
        return (int) folded;
    }

    @Override
    public String toString() {
        return source + " to " + destination + ", protocol " + protocol + ", code point " + dscp() + ", " + payload.length + " octets";
    }
}
