package org.tamanoir.node.manage.configuration;

import java.net.InetSocketAddress;
import org.tamanoir.settings.Settings;

/**
 * Where something listens that need not listen: {@code HOST:PORT}, {@code none}, or {@code auto} where the node chooses.
 *
 * @param address null for none and for auto
 */
public record Endpoint(boolean auto, InetSocketAddress address) {
    static final Endpoint AUTO = new Endpoint(true, null);
    static final Endpoint NONE = new Endpoint(false, null);

    static Endpoint parse(String text) {
        return switch (text) {
            case "auto" -> AUTO;
            case "none" -> NONE;
            default -> new Endpoint(false, Settings.address("it", text));
        };
    }

    /** The address, or the one that the node chooses; null for none. */
    InetSocketAddress or(InetSocketAddress chosen) {
        return auto ? chosen : address;
    }

    /** On the host of another address, so many ports above; port 0, any that is free, if that is no port. */
    static InetSocketAddress above(InetSocketAddress base, int ports) {
        int port = base.getPort();
        return new InetSocketAddress(base.getAddress(), port == 0 || port > 0xFFFF - ports ? 0 : port + ports);
    }
}
