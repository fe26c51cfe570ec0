package org.tamanoir.node.routing;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.rule.Prefix;

/**
 * The routes of a node. Looked up once a stream, by any thread; replaced as a whole, so a look-up sees the old table or the new one and
 * nothing in between.
 */
public final class RouteTable {
    private volatile List<Route> routes = List.of();

    /** Loopback delivers to loopback: all that a node on a loopback address does unless it is told more. */
    public static List<Route> loopbackOnly() {
        return List.of(Route.of("127.0.0.0/8", "direct"), Route.of("::1/128", "direct"));
    }

    /**
     * Puts new routes in place of all others.
     *
     * @throws AnepException EE-501 if a prefix stands twice; the old routes stay
     */
    public synchronized void replace(List<Route> replacement) {
        List<Route> sorted = new ArrayList<>(replacement);
        sorted.sort(Comparator.comparingInt((Route route) -> route.prefix().length()).reversed());
        for (int i = 0; i < sorted.size(); i++) {
            for (int j = i + 1; j < sorted.size(); j++) {
                if (sorted.get(i).prefix().equals(sorted.get(j).prefix())) {
                    throw new AnepException(ErrorCode.BAD_CONFIGURATION, "prefix " + sorted.get(i).prefix() + " has two routes");
                }
            }
        }
        routes = List.copyOf(sorted);
    }

    /** Adds a route, or puts it in place of the one with its prefix. */
    public synchronized void put(Route route) {
        List<Route> changed = new ArrayList<>(routes);
        changed.removeIf(other -> other.prefix().equals(route.prefix()));
        changed.add(route);
        replace(changed);
    }

    /** Removes the route of a prefix; returns whether there was one. */
    public synchronized boolean remove(Prefix prefix) {
        List<Route> changed = new ArrayList<>(routes);
        boolean found = changed.removeIf(route -> route.prefix().equals(prefix));
        replace(changed);
        return found;
    }

    /** The routes, longest prefix first. */
    public List<Route> all() {
        return routes;
    }

    /**
     * The route of the longest prefix that contains an address.
     *
     * @throws AnepException EE-202 if there is none
     */
    public Route lookup(InetAddress destination) {
        for (Route route : routes) {
            if (route.prefix().contains(destination)) {
                return route;
            }
        }
        throw new AnepException(ErrorCode.NO_ROUTE, "no route of this node leads to " + destination.getHostAddress());
    }
}
