package org.tamanoir.paths.cost;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.tamanoir.anep.BoundedMap;
import org.tamanoir.paths.forecast.SizeClass;
import org.tamanoir.paths.metrics.Numbers;
import org.tamanoir.paths.topology.Domain;
import org.tamanoir.paths.topology.Topology;

/**
 * The newest samples of each path, between hosts and between their domains, bounded. One thread, or a lock around it.
 *
 * <p>Somebody who asks is answered by what was measured between the two hosts, or else between their domains (DataGRID, section 5.2.3); samples of transfers of
 * about the same size go before others.
 */
public final class SampleBook {
    /** Paths, each with one metric and one class; the one that was used longest ago goes first. */
    public static final int MOST_PATHS = 400_000;
    /** Samples of each, as long as there are not so many paths that all together would be more than {@link #MOST_IN_ALL}. */
    public static final int MOST_SAMPLES = 64;
    /** Of 200 domains in a full mesh, which have 320,000 paths, six of each: 150 MB. */
    private static final int MOST_IN_ALL = 2_000_000;
    /** Clocks differ by so much; a sample from later than that is from no time. */
    private static final long CLOCKS = 10_000;
    /** A place is the middle of a town. */
    private static final double PLACE_KM = 100;

    private record Key(boolean isDomain, String from, String to, String qosClass, Metric metric) {
    }

    private final Topology topology;
    private final Map<Key, Deque<Sample>> samples = BoundedMap.byUse(MOST_PATHS);

    public SampleBook(Topology topology) {
        this.topology = topology;
    }

    /** Takes a sample. @param now milliseconds of the epoch @return null, or why it is refused */
    public String add(Sample sample, long now) {
        String problem = sample.metric().problem(sample.value());
        if (problem == null && !(sample.accuracy() >= 0 && sample.accuracy() < Double.POSITIVE_INFINITY)) {
            problem = "its accuracy is " + sample.accuracy();
        }
        if (problem == null && sample.time() > now + CLOCKS) {
            problem = "it is from " + (sample.time() - now) / 1000 + " s ahead: the clock of " + sample.source() + " is wrong, or ours";
        }
        Domain from = topology.locate(sample.from()).domain();
        Domain to = topology.locate(sample.to()).domain();
        if (problem == null && sample.metric() == Metric.ROUND_TRIP && isFasterThanLight(sample.value(), from, to)) {
            problem = "light needs " + Numbers.text(from.place().leastRoundTripMs(to.place()), 3) + " ms there and back: one of them is not where the topology says, or " + sample.source() + " lies";
        }
        if (problem != null) {
            return problem;
        }
        add(new Key(false, sample.from(), sample.to(), sample.qosClass(), sample.metric()), sample);
        if (from != null && to != null && from != to) {
            add(new Key(true, from.name(), to.name(), sample.qosClass(), sample.metric()), sample);
        }
        return null;
    }

    private static boolean isFasterThanLight(double roundTripMs, Domain from, Domain to) {
        if (from == null || to == null || from.place() == null || to.place() == null) {
            return false;
        }
        double kilometres = from.place().kilometres(to.place());
        return kilometres > PLACE_KM && roundTripMs < from.place().leastRoundTripMs(to.place()) * (1 - PLACE_KM / kilometres);
    }

    private void add(Key key, Sample sample) {
        Deque<Sample> known = samples.computeIfAbsent(key, any -> new ArrayDeque<>());
        // The newest stands first, also if it comes late.
        Deque<Sample> newer = new ArrayDeque<>();
        while (!known.isEmpty() && known.getFirst().time() > sample.time()) {
            newer.addLast(known.removeFirst());
        }
        known.addFirst(sample);
        newer.descendingIterator().forEachRemaining(known::addFirst);
        int most = Math.min(MOST_SAMPLES, MOST_IN_ALL / samples.size());
        while (known.size() > most) {
            known.removeLast();
        }
    }

    /** Whether nothing has to be carried over the network, and why; null if something has. */
    String whyNear(String from, String to) {
        if (from.equals(to)) {
            return "it is the same host";
        }
        Domain domain = topology.locate(from).domain();
        return domain != null && domain == topology.locate(to).domain() ? "both are in " + domain.name() : null;
    }

    /** What is known of a metric between two hosts. */
    public Evidence find(String from, String to, Metric metric, Query query) {
        Deque<Sample> between = samples.get(new Key(false, from, to, query.qosClass(), metric));
        List<Sample> found = taken(between, query);
        if (!found.isEmpty()) {
            return bySize(metric, from + " to " + to, found, query);
        }
        Domain here = topology.locate(from).domain();
        Domain there = topology.locate(to).domain();
        Deque<Sample> domains = here == null || there == null ? null : samples.get(new Key(true, here.name(), there.name(), query.qosClass(), metric));
        found = taken(domains, query);
        if (!found.isEmpty()) {
            return bySize(metric, "domain " + here.name() + " to domain " + there.name() + ", since nothing is measured from " + from + " to " + to, found, query);
        }
        return new Evidence(metric, none(from, to, metric, between == null || between.isEmpty() ? domains : between, query), List.of());
    }

    private static List<Sample> taken(Deque<Sample> all, Query query) {
        return all == null ? List.of() : all.stream().filter(query::takes).toList();
    }

    private static Evidence bySize(Metric metric, String path, List<Sample> found, Query query) {
        if (metric != Metric.THROUGHPUT) {
            return new Evidence(metric, path, found);
        }
        Set<Integer> streams = found.stream().map(Sample::streams).filter(count -> count > 0).collect(Collectors.toSet());
        if (streams.size() > 1) {
            // A median of one stream and of eight means nothing.
            int newest = found.stream().mapToInt(Sample::streams).filter(count -> count > 0).findFirst().orElseThrow();
            return bySize(metric, path + ", with " + newest + " streams as the newest has", found.stream().filter(sample -> sample.streams() == newest || sample.streams() == 0).toList(), query);
        }
        if (query.octets() == 0) {
            return new Evidence(metric, path, found);
        }
        SizeClass wanted = SizeClass.of(query.octets());
        Predicate<Sample> sameSize = sample -> sample.octets() == 0 || SizeClass.of(sample.octets()) == wanted;
        List<Sample> same = found.stream().filter(sameSize).toList();
        return same.isEmpty() ? new Evidence(metric, path + ", by transfers of other sizes", found) : new Evidence(metric, path, same);
    }

    private static String none(String from, String to, Metric metric, Deque<Sample> known, Query query) {
        if (known == null || known.isEmpty()) {
            return "no " + metric + " was measured from " + from + " to " + to + " or between their domains in class " + query.qosClass();
        }
        Iterator<Sample> each = known.iterator();
        Sample newest = each.next();
        return query.isFresh(newest) ? "no " + metric + " from " + from + " to " + to + " is by the tool or the number of streams that is asked for"
                : "the newest " + metric + " from " + from + " to " + to + " is " + (query.now() - newest.time()) / 1000 + " s old, and " + query.tolerance() / 1000 + " s are tolerated";
    }

    /** The samples between two hosts, the newest first: for people. */
    public List<Sample> samples(String from, String to, String qosClass, Metric metric) {
        Deque<Sample> known = samples.get(new Key(false, from, to, qosClass, metric));
        return known == null ? List.of() : new ArrayList<>(known);
    }
}
