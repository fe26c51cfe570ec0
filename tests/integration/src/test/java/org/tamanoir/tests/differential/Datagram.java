package org.tamanoir.tests.differential;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** A UDP datagram in an Ethernet frame: RFC 791, RFC 8200, RFC 768. Made octet by octet, so that it shares no code with what it tests. */
final class Datagram {
    /** How an IP packet is cut into fragments. */
    enum Fragment { NONE, FIRST, LATER }

    private static final int ETHERNET = 14;
    private static final int UDP = 17;

    final byte[] mac;
    InetSocketAddress source;
    InetSocketAddress destination;
    int trafficClass;
    int ttl = 64;
    int identification;
    /** IPv4 options, or an IPv6 header of hop-by-hop options. */
    boolean options;
    Fragment fragment = Fragment.NONE;
    /** Whether it carries a UDP checksum. */
    boolean checksum = true;
    /** Octets that the frame lacks at its end, of what is behind the first 40 of IP: a test run takes nothing shorter. */
    int cut;
    byte[] anep;

    Datagram(byte[] mac) {
        this.mac = mac;
    }

    Datagram copy() {
        Datagram copy = new Datagram(mac);
        copy.source = source;
        copy.destination = destination;
        copy.trafficClass = trafficClass;
        copy.ttl = ttl;
        copy.identification = identification;
        copy.options = options;
        copy.fragment = fragment;
        copy.checksum = checksum;
        copy.cut = cut;
        copy.anep = anep.clone();
        return copy;
    }

    boolean six() {
        return source.getAddress().getAddress().length == 16;
    }

    /** Octets of the IP packet. */
    int ipOctets() {
        return (six() ? 40 : 20) + extra() + 8 + anep.length;
    }

    private int extra() {
        return (options ? 8 : 0) + (six() && fragment != Fragment.NONE ? 8 : 0);
    }

    byte[] frame() {
        ByteBuffer to = ByteBuffer.allocate(ETHERNET + ipOctets());
        to.put(mac).put(new byte[] {2, 0, 0, 0, 0, 1}).putShort((short) (six() ? 0x86DD : 0x0800));
        if (six()) {
            putSix(to);
        } else {
            putFour(to);
        }
        int udp = to.position();
        to.putShort((short) source.getPort()).putShort((short) destination.getPort()).putShort((short) (8 + anep.length)).putShort((short) 0);
        to.put(anep);
        if (checksum) {
            int sum = ~fold(pseudo() + sum(to.array(), udp, 8 + anep.length)) & 0xFFFF;
            to.putShort(udp + 6, (short) (sum == 0 ? 0xFFFF : sum));
        }
        return cut == 0 ? to.array() : Arrays.copyOf(to.array(), Math.min(to.position(), Math.max(ETHERNET + 40, to.position() - cut)));
    }

    private void putFour(ByteBuffer to) {
        int begin = to.position();
        int flags = switch (fragment) {
            case NONE -> 0x4000;
            case FIRST -> 0x2000;
            case LATER -> 0x0010;
        };
        to.put((byte) (0x45 + (options ? 2 : 0))).put((byte) trafficClass).putShort((short) ipOctets()).putShort((short) identification);
        to.putShort((short) flags).put((byte) ttl).put((byte) UDP).putShort((short) 0);
        to.put(octets(source)).put(octets(destination));
        if (options) {
            to.put(new byte[] {1, 1, 1, 1, 1, 1, 1, 0});
        }
        to.putShort(begin + 10, (short) ~fold(sum(to.array(), begin, to.position() - begin)));
    }

    private void putSix(ByteBuffer to) {
        to.putInt(0x60000000 | trafficClass << 20 | identification).putShort((short) (extra() + 8 + anep.length));
        to.put((byte) (options ? 0 : fragment != Fragment.NONE ? 44 : UDP)).put((byte) ttl).put(octets(source)).put(octets(destination));
        if (options) {
            to.put((byte) (fragment != Fragment.NONE ? 44 : UDP)).put((byte) 0).put(new byte[] {1, 4, 0, 0, 0, 0});
        }
        if (fragment != Fragment.NONE) {
            to.put((byte) UDP).put((byte) 0).putShort((short) (fragment == Fragment.FIRST ? 1 : 0x80)).putInt(identification);
        }
    }

    private long pseudo() {
        byte[] from = octets(source);
        byte[] to = octets(destination);
        return sum(from, 0, from.length) + sum(to, 0, to.length) + UDP + 8 + anep.length;
    }

    private static byte[] octets(InetSocketAddress end) {
        InetAddress address = end.getAddress();
        return address.getAddress();
    }

    private static long sum(byte[] octets, int from, int length) {
        long sum = 0;
        for (int i = 0; i < length; i++) {
            sum += (octets[from + i] & 0xFF) << ((i & 1) == 0 ? 8 : 0);
        }
        return sum;
    }

    /** A one's complement sum of 16 bits (RFC 1071). */
    private static int fold(long sum) {
        long folded = sum;
        while (folded > 0xFFFF) {
            folded = (folded & 0xFFFF) + (folded >> 16);
        }
        return (int) folded;
    }
}
