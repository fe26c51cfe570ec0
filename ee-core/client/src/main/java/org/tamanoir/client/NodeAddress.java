package org.tamanoir.client;

import java.net.InetSocketAddress;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.wire.EventLoops;

/**
 * A node as it is named: {@code HOST:PORT}, or {@code tls://HOST:PORT} for one that is reached by TLS.
 *
 * @param secure whether by TLS
 */
public record NodeAddress(InetSocketAddress address, boolean secure) {
    private static final String TLS = "tls://";

    /** @throws AnepException EE-408 if it is no such name */
    public static NodeAddress parse(String text) {
        boolean secure = text.startsWith(TLS);
        return new NodeAddress(hostPort(secure ? text.substring(TLS.length()) : text), secure);
    }

    /** {@code HOST:PORT}, {@code [IPv6]:PORT}. @throws AnepException EE-408 if it is neither */
    public static InetSocketAddress hostPort(String text) {
        InetSocketAddress named = unresolved(text);
        return new InetSocketAddress(named.getHostString(), named.getPort());
    }

    /** The same, without looking the host up. */
    public static InetSocketAddress unresolved(String text) {
        int colon = text.lastIndexOf(':');
        if (colon <= 0) {
            throw wrong("'" + text + "' is not HOST:PORT");
        }
        String host = text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        } else if (host.indexOf(':') >= 0) {
            throw wrong("write an IPv6 address as [" + host + "]:PORT");
        }
        int port;
        try {
            port = Integer.parseInt(text.substring(colon + 1));
        } catch (NumberFormatException e) {
            throw wrong("'" + text + "' is not HOST:PORT");
        }
        if (port < 0 || port > 65535) {
            throw wrong("port " + port + " is not between 0 and 65535");
        }
        return InetSocketAddress.createUnresolved(host, port);
    }

    private static AnepException wrong(String text) {
        return new AnepException(ErrorCode.BAD_REQUEST, text);
    }

    @Override
    public String toString() {
        return (secure ? TLS : "") + EventLoops.text(address);
    }
}
