package org.tamanoir.service.rule;

import io.netty.util.NetUtil;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * An address prefix, IPv4 or IPv6.
 *
 * @param network the address with the bits behind the prefix as zero
 * @param length  bits that count: 0 to 32, or 0 to 128
 */
public record Prefix(InetAddress network, int length) {
    private static final int PEER_BITS = 64;

    /**
     * Reads {@code 10.1.0.0/16}, {@code fd00::/8}, or an address alone, which is a prefix of all its bits.
     *
     * @throws AnepException EE-501 if it is none of them
     */
    public static Prefix parse(String text) {
        int slash = text.indexOf('/');
        String address = slash < 0 ? text : text.substring(0, slash);
        byte[] octets = NetUtil.createByteArrayFromIpAddressString(address);
        if (octets == null) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "'" + text + "' is not a prefix such as 10.1.0.0/16 or fd00::/8");
        }
        int bits = octets.length * 8;
        int length = bits;
        if (slash >= 0) {
            try {
                length = Integer.parseInt(text.substring(slash + 1));
            } catch (NumberFormatException e) {
                length = -1;
            }
        }
        if (length < 0 || length > bits) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "'" + text + "' needs a length from 0 to " + bits + " behind the /");
        }
        return of(octets, length);
    }

    /**
     * Whoever counts as one peer where each has a share: an IPv4 address, or the IPv6 network of 64 bits that one subscriber has as a rule
     * (RFC 6177).
     */
    public static Prefix ofPeer(InetAddress address) {
        return of(address.getAddress(), address instanceof Inet6Address ? PEER_BITS : Integer.SIZE);
    }

    private static Prefix of(byte[] octets, int length) {
        int bits = octets.length * 8;
        for (int bit = length; bit < bits; bit++) {
            octets[bit >> 3] &= (byte) ~(0x80 >> (bit & 7));
        }
        try {
            InetAddress network = InetAddress.getByAddress(octets);
            // An IPv4 address that is mapped (RFC 4291, section 2.5.5.2) becomes one of IPv4.
            return new Prefix(network, length - (octets.length - network.getAddress().length) * 8);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Whether an address lies within. */
    public boolean contains(InetAddress address) {
        byte[] mine = network.getAddress();
        byte[] other = address.getAddress();
        if (mine.length != other.length) {
            return false;
        }
        int whole = length >> 3;
        for (int i = 0; i < whole; i++) {
            if (mine[i] != other[i]) {
                return false;
            }
        }
        int rest = length & 7;
        return rest == 0 || ((mine[whole] ^ other[whole]) & 0xFF >>> (8 - rest) << (8 - rest)) == 0;
    }

    /** Whether every address of another prefix lies within. */
    public boolean covers(Prefix other) {
        return length <= other.length && contains(other.network);
    }

    /** Written out: the JVM would make a dozen classes for that of a record, at each start of a node (decision 0027). */
    @Override
    public int hashCode() {
        return 31 * network.hashCode() + length;
    }

    @Override
    public String toString() {
        return network.getHostAddress() + "/" + length;
    }
}
