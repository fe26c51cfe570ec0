package org.tamanoir.membership;

import io.netty.util.NetUtil;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/** Addresses in messages: literals only. Nothing is ever resolved, so that no name server decides where a director sends streams to. */
public final class Addresses {
    /** What a literal is made of: no brackets and no zone, which mean nothing at another machine. */
    private static final Pattern LITERAL = Pattern.compile("[0-9a-fA-F:.]{2,45}");
    /** From here on the first octet of an IPv4 address is a group's, reserved, or the broadcast's (RFC 1112). */
    private static final int FIRST_GROUP = 224;

    private Addresses() {
    }

    /**
     * The address that a text is a literal of; an IPv4 address that is mapped into IPv6 (RFC 4291, section 2.5.5.2) is one of IPv4.
     *
     * @return null if it is no literal; {@code 010.0.0.1} is none, as some read its zero as octal
     */
    public static InetAddress literal(String text) {
        byte[] octets = LITERAL.matcher(text).matches() ? NetUtil.createByteArrayFromIpAddressString(text) : null;
        if (octets == null) {
            return null;
        }
        try {
            InetAddress address = InetAddress.getByAddress(octets);
            return octets.length == 4 && !text(address).equals(text) ? null : address;
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The one way to write an address: {@code 10.0.0.1}, {@code fd00::1} (RFC 5952). */
    public static String text(InetAddress address) {
        return NetUtil.toAddressString(address);
    }

    /** What an address is that no machine can be reached at from another one; null if it is an ordinary one. */
    static String unfit(InetAddress address, boolean loopback) {
        int first = address.getAddress()[0] & 0xFF;
        if (address.isAnyLocalAddress() || !(address instanceof Inet6Address) && first == 0) {
            return "the wildcard";
        }
        if (address.isMulticastAddress() || !(address instanceof Inet6Address) && first >= FIRST_GROUP) {
            return "a group's, or reserved";
        }
        if (address.isLinkLocalAddress()) {
            return "link-local, which means another machine on every link";
        }
        return address.isLoopbackAddress() && !loopback ? "loopback, which is another machine for the director" : null;
    }
}
