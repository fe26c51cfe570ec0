package org.tamanoir.node.routing;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.transport.OwnListeners;
import org.tamanoir.service.rule.Prefix;

/**
 * The routes of a node. Looked up once a stream, by any thread; replaced as a whole, so a look-up sees the old table or the new one and
 * nothing in between.
 */
public final class RouteTable {
    private final OwnListeners own;
    private final NextHops hops;
    private volatile List<Route> routes = List.of();
    private volatile LearnedRoutes learned = LearnedRoutes.NONE;
    /** One to each neighbour that tells routes, so that what is known of it is kept. */
    private List<Route> neighbours = List.of();

    public RouteTable() {
        this(new OwnListeners());
    }

    /** @param own where no stream is led, whatever the routes say */
    public RouteTable(OwnListeners own) {
        this(own, new NextHops());
    }

    RouteTable(OwnListeners own, NextHops hops) {
        this.own = own;
        this.hops = hops;
    }

    /** Loopback delivers to loopback: all that a node on a loopback address does unless it is told more. */
    public static List<Route> loopbackOnly() {
        return List.of(Route.of("127.0.0.0/8", "direct"), Route.of("::1/128", "direct"));
    }

    /**
     * Routes in the order of a table, longest prefix first.
     *
     * @throws AnepException EE-501 if a prefix stands twice
     */
    public static List<Route> sorted(List<Route> routes) {
        Set<Prefix> prefixes = new HashSet<>();
        for (Route route : routes) {
            if (!prefixes.add(route.prefix())) {
                throw new AnepException(ErrorCode.BAD_CONFIGURATION, "prefix " + route.prefix() + " has two routes");
            }
        }
        return routes.stream().sorted(Comparator.comparingInt((Route route) -> route.prefix().length()).reversed()).toList();
    }

    /**
     * Puts new routes in place of all others.
     *
     * @throws AnepException EE-501 if a prefix stands twice; the old routes stay
     */
    public synchronized void replace(List<Route> replacement) {
        List<Route> now = sorted(replacement);
        keep(now);
        routes = now;
    }

    private void keep(List<Route> now) {
        hops.of(Stream.concat(now.stream(), neighbours.stream()).toList());
    }

    /** Nodes whose routes are learned: what streams find out about them is kept. */
    synchronized void neighbours(List<ToldNeighbour> now) {
        neighbours = now.stream().map(each -> new Route(null, each.at())).toList();
        keep(routes);
    }

    /** Puts routes that neighbours told in place of all that they told before. Those of the configuration go before them. */
    void learn(Collection<LearnedRoute> now) {
        learned = new LearnedRoutes(now);
    }

    /** The routes that neighbours told, longest prefix first. */
    public List<LearnedRoute> learned() {
        return learned.all().stream().sorted(Comparator.comparingInt((LearnedRoute each) -> -each.prefix().length()).thenComparing(each -> each.prefix().toString())).toList();
    }

    /** The next hops of these routes, and what is known of them. */
    public NextHops hops() {
        return hops;
    }

    /** The routes, longest prefix first. */
    public List<Route> all() {
        return routes;
    }

    /**
     * The route of the longest prefix that contains the address of a destination: of the configuration, and if there is none, of those that neighbours told.
     *
     * @throws AnepException EE-202 if there is none, or if it does not deliver to that port; EE-212 if the node would deliver to itself, to loopback
     *     although others can reach the node, or to an address that is not one host's
     */
    public Route lookup(InetSocketAddress destination) {
        InetAddress address = destination.getAddress();
        for (Route route : routes) {
            if (route.prefix().contains(address)) {
                if (route.isDirect()) {
                    check(route, destination);
                }
                return route;
            }
        }
        LearnedRoute told = learned.lookup(address);
        if (told == null) {
            throw new AnepException(ErrorCode.NO_ROUTE, "no route of this node leads to " + address.getHostAddress());
        }
        if (told.route() == null) {
            throw new AnepException(ErrorCode.NO_ROUTE, "no neighbour tells a way to " + told.prefix() + " any more");
        }
        return told.route();
    }

    /** Where a stream to an address goes first. @throws AnepException as {@link #lookup} */
    public FirstHop firstHop(InetSocketAddress destination) {
        Route route = lookup(destination);
        return route.isDirect() ? new FirstHop(destination, true, false) : new FirstHop(hops.inOrder(route).get(0), false, route.isSecure());
    }

    /** The first host of a way. @param isDirect whether it is the destination @param secure whether it is reached by TLS */
    public record FirstHop(InetSocketAddress address, boolean isDirect, boolean secure) {
    }

    /** Whether a connection to an address would come to the node itself. */
    public boolean isOwn(InetSocketAddress address) {
        return own.contains(address);
    }

    private void check(Route route, InetSocketAddress destination) {
        InetAddress address = destination.getAddress();
        if (!route.ports().contain(destination.getPort())) {
            throw new AnepException(ErrorCode.NO_ROUTE, "the route to " + route.prefix() + " delivers to the ports " + route.ports() + ", and not to "
                    + destination.getPort());
        }
        if (address.isAnyLocalAddress() || address.isMulticastAddress() || own.contains(destination)) {
            throw new AnepException(ErrorCode.FORBIDDEN_DESTINATION, "no stream is delivered to " + address.getHostAddress() + " port " + destination.getPort()
                    + (own.contains(destination) ? ", where the node itself listens" : ", which is no address of a host"));
        }
        if (address.isLoopbackAddress() && own.areReachable()) {
            throw new AnepException(ErrorCode.FORBIDDEN_DESTINATION, "a node that other machines reach delivers nothing to loopback");
        }
    }
}
