package org.tamanoir.node.routing;

import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * The next hops of the routes, and which of them a stream takes. Any thread.
 *
 * <p>Of the hops that take streams one is drawn by weight, then come the others, the spares, and at last those that are stopping or down: when no hop is
 * known to be good, trying is better than refusing. What is known of a hop stays when the routes are replaced and still name it.
 */
public final class NextHops {
    /**
     * A hop of a route as an operator sees it.
     *
     * @param takesStreams whether it is taken to take streams: up, or not known
     * @param isNext  whether new streams of the route go there now, in proportion to the weights of all that are
     * @param because the reason for the state
     */
    public record Status(String prefix, String to, int weight, String state, boolean takesStreams, boolean isNext, String because, long streams, long failures) {
    }

    private final LongSupplier clock;
    private final RandomGenerator random;
    private final SecureRandom secrets = new SecureRandom();
    private volatile Map<InetSocketAddress, HopHealth> known = Map.of();

    public NextHops() {
        this(System::nanoTime, null);
    }

    /** @param random for the draw; null for that of the calling thread */
    NextHops(LongSupplier clock, RandomGenerator random) {
        this.clock = clock;
        this.random = random;
    }

    /** The routes are these now. */
    synchronized void of(List<Route> routes) {
        Map<InetSocketAddress, HopHealth> changed = new HashMap<>();
        routes.stream().flatMap(route -> route.hops().stream()).forEach(hop -> changed.computeIfAbsent(hop.address(),
                address -> known.containsKey(address) ? known.get(address) : new HopHealth(secrets.nextLong())));
        known = changed;
    }

    /** What is known of a hop; null if no route names it. */
    HopHealth health(InetSocketAddress hop) {
        return known.get(hop);
    }

    /** The hops of a route in the order in which a stream tries them; the first is the one that it should take. */
    public List<InetSocketAddress> inOrder(Route route) {
        if (!route.hasChoice()) {
            return route.hops().stream().map(NextHop::address).toList();
        }
        List<Ranked> ranked = ranked(route);
        List<NextHop> best = ranked.stream().filter(each -> each.rank() == ranked.get(0).rank()).map(Ranked::hop).toList();
        InetSocketAddress drawn = draw(best).address();
        List<InetSocketAddress> order = new ArrayList<>(ranked.size());
        order.add(drawn);
        ranked.stream().map(each -> each.hop().address()).filter(address -> !address.equals(drawn)).forEach(order::add);
        return order;
    }

    /** A hop, and whether it is taken before others: those of the least rank are. */
    private record Ranked(NextHop hop, int rank) {
    }

    private List<Ranked> ranked(Route route) {
        long now = clock.getAsLong();
        List<Ranked> ranked = new ArrayList<>();
        for (NextHop hop : route.hops()) {
            HopHealth.State state = state(hop.address(), now);
            // A hop that is up and one that has never answered are equals; every other state is a rank of its own.
            ranked.add(new Ranked(hop, state.takesStreams() ? hop.isSpare() ? 1 : 0 : 1 + state.ordinal()));
        }
        ranked.sort(Comparator.comparingInt(Ranked::rank));
        return ranked;
    }

    private NextHop draw(List<NextHop> hops) {
        int total = hops.stream().mapToInt(NextHop::weight).sum();
        if (total == 0) {
            return hops.get(0);
        }
        int left = (random == null ? ThreadLocalRandom.current() : random).nextInt(total);
        for (NextHop hop : hops) {
            left -= hop.weight();
            if (left < 0) {
                return hop;
            }
        }
        throw new AssertionError("a number below the sum of the weights is below one of the partial sums");
    }

    private HopHealth.State state(InetSocketAddress hop, long now) {
        HopHealth health = known.get(hop);
        return health == null ? HopHealth.State.UNKNOWN : health.state(now);
    }

    /** Whether a stream that can begin anew at any moment should do so: its hop takes no streams, and another one does. */
    public boolean shouldLeave(InetSocketAddress hop, List<InetSocketAddress> others) {
        long now = clock.getAsLong();
        return !others.isEmpty() && !state(hop, now).takesStreams() && others.stream().anyMatch(other -> state(other, now).takesStreams());
    }

    /** A stream has a connection to a hop. Where no route names the address, nobody wants to know. */
    public void reached(InetSocketAddress hop) {
        HopHealth health = known.get(hop);
        if (health != null) {
            health.reached();
        }
    }

    /** A stream could not reach a hop. */
    public void failed(InetSocketAddress hop, String why) {
        HopHealth health = known.get(hop);
        if (health != null) {
            health.failed(why, clock.getAsLong());
        }
    }

    /** The hops of routes, in their order. */
    public List<Status> status(List<Route> routes) {
        List<Status> all = new ArrayList<>();
        for (Route route : routes) {
            List<Ranked> ranked = ranked(route);
            for (NextHop hop : route.hops()) {
                HopHealth.Report report = report(hop.address());
                boolean next = ranked.stream().anyMatch(each -> each.hop().equals(hop) && each.rank() == ranked.get(0).rank());
                all.add(new Status(route.prefix().toString(), hop.at(), hop.weight(), report.state().text(), report.state().takesStreams(),
                        next, report.because(), report.streams(), report.failures()));
            }
        }
        return all;
    }

    /** Each hop once, with what is known of it. */
    public Collection<Status> each(List<Route> routes) {
        Map<String, Status> all = new LinkedHashMap<>();
        status(routes).forEach(status -> all.putIfAbsent(status.to(), status));
        return all.values();
    }

    private HopHealth.Report report(InetSocketAddress hop) {
        HopHealth health = known.get(hop);
        return (health == null ? new HopHealth(0) : health).report(clock.getAsLong());
    }
}
