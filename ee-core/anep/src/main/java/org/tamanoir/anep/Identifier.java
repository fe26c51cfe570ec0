package org.tamanoir.anep;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The value of a Source or Destination Identifier (draft options 1 and 2) or of an authenticator (option 4): a scheme and its octets.
 * The two options number their schemes apart: scheme 1 is an IPv4 address in one and an SPKI certificate in the other.
 *
 * @param scheme  for addresses 1 IPv4 (4 octets), 2 IPv6 (16 octets), 3 IEEE 802.3 (6 octets); for authenticators 1 SPKI, 2 X.509, {@link #JSON_WEB_TOKEN}
 * @param address the octets; without the padding where the scheme says how many there are, otherwise with it
 */
public record Identifier(int scheme, byte[] address) {
    public static final int IPV4 = 1;
    public static final int IPV6 = 2;
    public static final int IEEE_802_3 = 3;

    /** Scheme of an authenticator: a JSON Web Token (RFC 7519); "JWT" and a zero, a number of this project's own. */
    public static final int JSON_WEB_TOKEN = 0x4A575400;

    public static Identifier of(InetAddress address) {
        byte[] octets = address.getAddress();
        return new Identifier(octets.length == 4 ? IPV4 : IPV6, octets);
    }

    /** The IP address, or null if this is none. An IPv4-mapped IPv6 address is given as the IPv4 address that it means. */
    public InetAddress inetAddress() {
        if (scheme != IPV4 && scheme != IPV6 || address.length != addressSize()) {
            return null;
        }
        try {
            return InetAddress.getByAddress(address);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e); // only for another number of octets
        }
    }

    /** Octets that an address of this scheme has, or -1 if the scheme is not known. */
    int addressSize() {
        return switch (scheme) {
            case IPV4 -> 4;
            case IPV6 -> 16;
            case IEEE_802_3 -> 6;
            default -> -1;
        };
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Identifier that && scheme == that.scheme && Arrays.equals(address, that.address);
    }

    @Override
    public int hashCode() {
        return 31 * scheme + Arrays.hashCode(address);
    }

    @Override
    public String toString() {
        InetAddress ip = inetAddress();
        return ip != null ? ip.getHostAddress() : "scheme " + scheme + " " + HexFormat.of().formatHex(address);
    }
}
