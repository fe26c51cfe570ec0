package org.tamanoir.node.routing;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.stream.Collectors;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.rule.Prefix;

/**
 * Where streams to a prefix go.
 *
 * @param hops     nodes that are next on the way, of which each stream takes one; none to deliver from here
 * @param ports    to which is delivered; all of them where there is a next node, which decides for itself
 * @param isSecure whether the next nodes are reached by TLS: all of them or none, so that no stream loses it when one of them dies
 */
public record Route(Prefix prefix, List<NextHop> hops, Ports ports, boolean isSecure) {
    private static final String DIRECT = "direct";
    private static final String TLS = "tls://";

    /** With one next hop, or to deliver from here if it is null. */
    public Route(Prefix prefix, InetSocketAddress next) {
        this(prefix, next == null ? List.of() : List.of(new NextHop(next, 1)), Ports.ALL, false);
    }

    /**
     * Reads {@code PREFIX=TARGET}, where the target is as in {@link #of}.
     *
     * @throws AnepException EE-501 if it is nothing of that
     */
    public static Route parse(String text) {
        int equals = text.indexOf('=');
        if (equals < 0) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "route '" + text + "' is not PREFIX=HOST:PORT, PREFIX=tls://HOST:PORT, PREFIX=direct or PREFIX=direct:PORTS");
        }
        return of(text.substring(0, equals).trim(), text.substring(equals + 1).trim());
    }

    /**
     * Reads a prefix and a target: {@code HOST:PORT} or {@code HOST:PORT*WEIGHT}, several with commas between them, {@code tls://} before all of them,
     * {@code direct}, or {@code direct:443,5000-5999}.
     *
     * @throws AnepException EE-501 if it is nothing of that
     */
    public static Route of(String prefix, String target) {
        if (target.equals(DIRECT)) {
            return new Route(Prefix.parse(prefix), null);
        }
        if (target.startsWith(DIRECT + ":")) {
            return new Route(Prefix.parse(prefix), List.of(), Ports.parse(target.substring(DIRECT.length() + 1)), false);
        }
        boolean secure = target.startsWith(TLS);
        try {
            return new Route(Prefix.parse(prefix), NextHop.parseAll(secure ? target.substring(TLS.length()).replaceAll(",\\s*" + TLS, ",") : target), Ports.ALL, secure);
        } catch (AnepException e) {
            throw new AnepException(e.code(), "the target '" + target + "' of prefix " + prefix + ": " + e.text());
        }
    }

    public boolean isDirect() {
        return hops.isEmpty();
    }

    /** Whether a stream has a choice. */
    public boolean hasChoice() {
        return hops.size() > 1;
    }

    /** As in a file. */
    public String target() {
        if (isDirect()) {
            return ports.equals(Ports.ALL) ? DIRECT : DIRECT + ":" + ports;
        }
        return (isSecure ? TLS : "") + hops.stream().map(NextHop::toString).collect(Collectors.joining(","));
    }

    @Override
    public String toString() {
        return prefix + "=" + target();
    }
}
