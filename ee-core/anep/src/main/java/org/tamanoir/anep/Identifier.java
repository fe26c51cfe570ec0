package org.tamanoir.anep;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The value of a Source or Destination Identifier (draft options 1 and 2) or of an authenticator (option 4): a scheme and its octets.
 *
 * @param scheme  for addresses 1 IPv4 (4 octets), 2 IPv6 (16 octets), 3 IEEE 802.3 (6 octets)
 * @param address the octets, without the padding
 */
public record Identifier(int scheme, byte[] address) {
    public static final int IPV4 = 1;
    public static final int IPV6 = 2;
    public static final int IEEE_802_3 = 3;

    public static Identifier of(InetAddress address) {
        byte[] octets = address.getAddress();
        return new Identifier(octets.length == 4 ? IPV4 : IPV6, octets);
    }

    /** The IP address, or null for another scheme. */
    public InetAddress inetAddress() {
        if (scheme != IPV4 && scheme != IPV6) {
            return null;
        }
        try {
            return InetAddress.getByAddress(address);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("the codec lets only 4 or 16 octets pass", e);
        }
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
