package org.tamanoir.identity.destination;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Where a program wants to go.
 *
 * @param name    in lower case, without a dot at its end; null where the program names an address
 * @param address null where it names a name
 * @param port    1 to 65,535
 */
public record Target(String name, InetAddress address, int port) {
    private static final int LONGEST = 253;
    /** Labels of letters, digits, hyphens and underscores (RFC 1123, and what is in use), 63 at most each. */
    private static final Pattern NAME = Pattern.compile("(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?");
    /** What resolvers take for an address in a form of their own: 127.1, 0x7f.1, 2130706433. No name ends so (RFC 3696, section 2). */
    private static final Pattern NUMBER_AT_END = Pattern.compile("(?:.*\\.)?(?:[0-9]+|0x[0-9a-f]*)");

    /** An address, or a name. @throws AnepException EE-231 if it is neither */
    public static Target of(String host, int port) {
        byte[] address = NetUtil.createByteArrayFromIpAddressString(host);
        if (address != null && host.indexOf('%') < 0) {
            return of(address, port);
        }
        String name = name(host);
        if (name == null) {
            throw new AnepException(ErrorCode.PROXY_REQUEST, "the request names a destination that is no address and no name");
        }
        return new Target(name, null, checked(port));
    }

    /** @param address of 4 or 16 octets */
    public static Target of(byte[] address, int port) {
        try {
            return new Target(null, InetAddress.getByAddress(address), checked(port));
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** The name as names are compared, or null if it is none. */
    static String name(String host) {
        String name = (host.endsWith(".") ? host.substring(0, host.length() - 1) : host).toLowerCase(Locale.ROOT);
        return name.length() <= LONGEST && NAME.matcher(name).matches() && !NUMBER_AT_END.matcher(name).matches() ? name : null;
    }

    private static int checked(int port) {
        if (port < 1 || port > 0xFFFF) {
            throw new AnepException(ErrorCode.PROXY_REQUEST, "the request names port " + port);
        }
        return port;
    }

    @Override
    public String toString() {
        return name != null ? name + ":" + port : NetUtil.toSocketAddressString(new InetSocketAddress(address, port));
    }
}
