package org.tamanoir.node.routing;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.service.rule.Prefix;

/** Routes that neighbours told. Immutable; a look-up costs one of a map for each length of prefix that there is. */
final class LearnedRoutes {
    static final LearnedRoutes NONE = new LearnedRoutes(List.of());

    private final Map<Prefix, LearnedRoute> routes = new HashMap<>();
    /** Lengths of IPv4 and of IPv6, longest first. */
    private final int[][] lengths;

    LearnedRoutes(Collection<LearnedRoute> all) {
        all.forEach(each -> routes.put(each.prefix(), each));
        lengths = new int[][] {lengths(4), lengths(16)};
    }

    private int[] lengths(int octets) {
        return routes.keySet().stream().filter(each -> each.network().getAddress().length == octets).mapToInt(each -> -each.length()).distinct().sorted()
                .map(length -> -length).toArray();
    }

    /** Of the longest prefix that contains an address; null if there is none. */
    LearnedRoute lookup(InetAddress address) {
        byte[] octets = address.getAddress();
        for (int length : lengths[octets.length == 4 ? 0 : 1]) {
            for (int bit = length; bit < octets.length * 8; bit = (bit | 7) + 1) {
                octets[bit >> 3] &= (byte) ~(0xFF >> (bit & 7));
            }
            LearnedRoute found = routes.get(new Prefix(of(octets), length));
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private static InetAddress of(byte[] octets) {
        try {
            return InetAddress.getByAddress(octets);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    Collection<LearnedRoute> all() {
        return routes.values();
    }
}
