package org.tamanoir.kernel;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** Addresses in the form of the library: 16 octets, IPv4 as {@code ::ffff:a.b.c.d} (RFC 4291, section 2.5.5.2). */
final class Addresses {
    static final int OCTETS = 16;
    /** Bits in front of an IPv4 address. */
    static final int MAPPED_BITS = 96;

    private static final int MAPPED = 12;

    private Addresses() {
    }

    /** The 16 octets of an address. */
    static byte[] toOctets(InetAddress address) {
        byte[] octets = address.getAddress();
        if (octets.length == OCTETS) {
            return octets;
        }
        byte[] mapped = new byte[OCTETS];
        mapped[MAPPED - 2] = (byte) 0xFF;
        mapped[MAPPED - 1] = (byte) 0xFF;
        System.arraycopy(octets, 0, mapped, MAPPED, octets.length);
        return mapped;
    }

    /** The interface that a link-local address belongs to; 0 for others. */
    static int scope(InetAddress address) {
        return address instanceof Inet6Address six ? six.getScopeId() : 0;
    }

    /** The address of 16 octets; {@link InetAddress} makes an IPv4 address of a mapped one. */
    static InetAddress of(byte[] octets) {
        try {
            return InetAddress.getByAddress(octets);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("an address of " + octets.length + " octets", e);
        }
    }
}
