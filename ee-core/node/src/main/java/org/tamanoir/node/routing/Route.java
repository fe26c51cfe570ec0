package org.tamanoir.node.routing;

import java.net.InetSocketAddress;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.rule.Prefix;

/**
 * Where streams to a prefix go.
 *
 * @param next  the next node, or null to deliver from here
 * @param ports to which is delivered; all of them where there is a next node, which decides for itself
 */
public record Route(Prefix prefix, InetSocketAddress next, Ports ports) {
    private static final String DIRECT = "direct";

    public Route(Prefix prefix, InetSocketAddress next) {
        this(prefix, next, Ports.ALL);
    }

    /**
     * Reads {@code PREFIX=HOST:PORT}, {@code PREFIX=direct} or {@code PREFIX=direct:443,5000-5999}.
     *
     * @throws AnepException EE-501 if it is neither
     */
    public static Route parse(String text) {
        int equals = text.indexOf('=');
        if (equals < 0) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "route '" + text + "' is not PREFIX=HOST:PORT, PREFIX=direct or PREFIX=direct:PORTS");
        }
        return of(text.substring(0, equals).trim(), text.substring(equals + 1).trim());
    }

    /** As {@link #parse}, with the two halves apart. */
    public static Route of(String prefix, String target) {
        if (target.equals(DIRECT)) {
            return new Route(Prefix.parse(prefix), null);
        }
        if (target.startsWith(DIRECT + ":")) {
            return new Route(Prefix.parse(prefix), null, Ports.parse(target.substring(DIRECT.length() + 1)));
        }
        int colon = target.lastIndexOf(':');
        int port = -1;
        try {
            port = colon <= 0 ? -1 : Integer.parseInt(target.substring(colon + 1));
        } catch (NumberFormatException e) {
            // said below
        }
        if (port < 1 || port > 65535) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "the target '" + target + "' of prefix " + prefix
                    + " is neither HOST:PORT nor direct nor direct:PORTS");
        }
        String host = target.substring(0, colon);
        InetSocketAddress next = new InetSocketAddress(host.startsWith("[") ? host.substring(1, host.length() - 1) : host, port);
        if (next.isUnresolved()) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "the host '" + host + "' of prefix " + prefix + " is not known");
        }
        return new Route(Prefix.parse(prefix), next);
    }

    public boolean isDirect() {
        return next == null;
    }

    /** As in a file: {@code direct}, {@code direct:PORTS} or {@code host:port}. */
    public String target() {
        if (next == null) {
            return ports.equals(Ports.ALL) ? DIRECT : DIRECT + ":" + ports;
        }
        String host = next.getAddress().getHostAddress();
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + next.getPort();
    }

    @Override
    public String toString() {
        return prefix + "=" + target();
    }
}
