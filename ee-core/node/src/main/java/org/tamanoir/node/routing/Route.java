package org.tamanoir.node.routing;

import java.net.InetSocketAddress;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.rule.Prefix;

/**
 * Where streams to a prefix go.
 *
 * @param next  the next node, or null to deliver from here
 * @param isSecure whether the next node is reached by TLS
 * @param ports to which is delivered; all of them where there is a next node, which decides for itself
 */
public record Route(Prefix prefix, InetSocketAddress next, Ports ports, boolean isSecure) {
    private static final String DIRECT = "direct";
    private static final String TLS = "tls://";

    public Route(Prefix prefix, InetSocketAddress next) {
        this(prefix, next, Ports.ALL, false);
    }

    /**
     * Reads {@code PREFIX=HOST:PORT}, {@code PREFIX=tls://HOST:PORT}, {@code PREFIX=direct} or {@code PREFIX=direct:443,5000-5999}.
     *
     * @throws AnepException EE-501 if it is neither
     */
    public static Route parse(String text) {
        int equals = text.indexOf('=');
        if (equals < 0) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "route '" + text + "' is not PREFIX=HOST:PORT, PREFIX=tls://HOST:PORT, PREFIX=direct or PREFIX=direct:PORTS");
        }
        return of(text.substring(0, equals).trim(), text.substring(equals + 1).trim());
    }

    /** As {@link #parse}, with the two halves apart. */
    public static Route of(String prefix, String target) {
        if (target.equals(DIRECT)) {
            return new Route(Prefix.parse(prefix), null);
        }
        if (target.startsWith(DIRECT + ":")) {
            return new Route(Prefix.parse(prefix), null, Ports.parse(target.substring(DIRECT.length() + 1)), false);
        }
        boolean secure = target.startsWith(TLS);
        String at = secure ? target.substring(TLS.length()) : target;
        int colon = at.lastIndexOf(':');
        int port = -1;
        try {
            port = colon <= 0 ? -1 : Integer.parseInt(at.substring(colon + 1));
        } catch (NumberFormatException e) {
            // said below
        }
        if (port < 1 || port > 65535) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "the target '" + target + "' of prefix " + prefix
                    + " is neither HOST:PORT nor tls://HOST:PORT nor direct nor direct:PORTS");
        }
        String host = at.substring(0, colon);
        InetSocketAddress next = new InetSocketAddress(host.startsWith("[") ? host.substring(1, host.length() - 1) : host, port);
        if (next.isUnresolved()) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "the host '" + host + "' of prefix " + prefix + " is not known");
        }
        return new Route(Prefix.parse(prefix), next, Ports.ALL, secure);
    }

    public boolean isDirect() {
        return next == null;
    }

    /** As in a file: {@code direct}, {@code direct:PORTS}, {@code host:port} or {@code tls://host:port}. */
    public String target() {
        if (next == null) {
            return ports.equals(Ports.ALL) ? DIRECT : DIRECT + ":" + ports;
        }
        String host = next.getAddress().getHostAddress();
        return (isSecure ? TLS : "") + (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + next.getPort();
    }

    @Override
    public String toString() {
        return prefix + "=" + target();
    }
}
