package org.tamanoir.observatory.live;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.tamanoir.anep.BoundedMap;
import org.tamanoir.paths.cost.Closeness;
import org.tamanoir.paths.cost.Estimate;
import org.tamanoir.paths.cost.Evidence;
import org.tamanoir.paths.cost.Metric;
import org.tamanoir.paths.cost.NetCost;
import org.tamanoir.paths.cost.Optimiser;
import org.tamanoir.paths.cost.Query;
import org.tamanoir.paths.cost.Sample;
import org.tamanoir.paths.cost.SampleBook;
import org.tamanoir.paths.cost.TransferTime;
import org.tamanoir.paths.plan.Measurement;
import org.tamanoir.paths.plan.Plan;
import org.tamanoir.paths.topology.Topology;
import org.tamanoir.paths.wire.Line;
import org.tamanoir.paths.wire.SampleLine;
import org.tamanoir.paths.wire.SampleValue;
import org.tamanoir.paths.wire.StreamLine;

/** What the newest samples say: of each session, and what transfers cost by them. A theodolite stands for the host that the plan names. */
public final class Knowledge {
    private static final int DOUBTS = 100;
    /** Of flows that last some seconds, and of probes. */
    private static final double FLOW_ACCURACY = 0.1;
    private static final double PROBE_ACCURACY = 0.05;

    /** A sample that is kept and not used, since it cannot be true. */
    public record Doubt(String session, long time, String why) {
    }

    /** All that follows from the lines by one plan and topology. Under the lock, or nobody else's yet. */
    private final class State {
        private final Topology topology;
        private final Function<String, String> hosts;
        private final SampleBook book;
        private final Map<String, SampleLine> newest = BoundedMap.byUse(Plan.MOST_SESSIONS);

        State(Topology topology, Function<String, String> hosts) {
            this.topology = topology;
            this.hosts = hosts;
            this.book = new SampleBook(topology);
        }

        void add(Line line, long now) {
            if (line instanceof SampleLine sample) {
                SampleLine before = newest.get(sample.session());
                if (before == null || before.time() <= sample.time()) {
                    newest.put(sample.session(), sample);
                }
                samples(sample).forEach(each -> add(each, sample.session(), now));
            } else if (line instanceof StreamLine stream && stream.isRateOfThePath()) {
                add(new Sample(stream.source(), stream.destination(), stream.qosClass(), Metric.THROUGHPUT, stream.mbits(), FLOW_ACCURACY, stream.time(), StreamLine.KIND, stream.theodolite(),
                        stream.size(), stream.streams()), "stream " + stream.stream(), now);
            }
        }

        private void add(Sample sample, String what, long now) {
            String problem = book.add(sample, now);
            if (problem != null) {
                doubt(new Doubt(what, sample.time(), sample.metric() + ": " + problem));
            }
        }

        private List<Sample> samples(SampleLine line) {
            List<Sample> samples = new ArrayList<>();
            Map<String, Double> values = line.values();
            Double mbits = values.getOrDefault(SampleValue.STEADY_MBITS.text(), values.get(SampleValue.MBITS.text()));
            if (line.kind() == Measurement.Kind.THROUGHPUT && mbits != null) {
                samples.add(sample(line, Metric.THROUGHPUT, mbits, FLOW_ACCURACY));
            }
            for (Map.Entry<Metric, SampleValue> each : Map.of(Metric.ROUND_TRIP, SampleValue.RTT_MEDIAN, Metric.LOSS, SampleValue.LOSS, Metric.JITTER, SampleValue.JITTER).entrySet()) {
                Double value = values.get(each.getValue().text());
                if (line.kind() != Measurement.Kind.THROUGHPUT && value != null) {
                    samples.add(sample(line, each.getKey(), value, PROBE_ACCURACY));
                }
            }
            return samples;
        }

        private Sample sample(SampleLine line, Metric metric, double value, double accuracy) {
            return new Sample(hosts.apply(line.from()), hosts.apply(line.to()), line.qosClass(), metric, value, accuracy, line.time(), line.kind().text(), line.theodolite(),
                    line.values().getOrDefault(SampleValue.OCTETS.text(), 0.0), (int) Math.min(64, line.values().getOrDefault(SampleValue.STREAMS.text(), 0.0)));
        }
    }

    private final Deque<Doubt> doubts = new ArrayDeque<>();
    private State state = new State(Topology.NONE, name -> name);
    /** What comes while everything is looked at anew; null at other times. */
    private List<Line> meanwhile;
    private long doubted;

    /**
     * Another plan or topology: everything is looked at anew. Whoever asks meanwhile is answered by what was.
     *
     * @param lines gives those that are kept, in the order of time
     */
    void replace(Plan plan, Topology topology, Consumer<Consumer<Line>> lines, long now) {
        synchronized (this) {
            meanwhile = new ArrayList<>();
        }
        State next = new State(topology, plan == null ? name -> name : name -> plan.theodolites().containsKey(name) ? plan.host(name) : name);
        Set<List<Object>> read = new HashSet<>();
        try {
            lines.accept(line -> {
                next.add(line, now);
                read.add(key(line));
            });
        } finally {
            synchronized (this) {
                meanwhile.stream().filter(line -> read.add(key(line))).forEach(line -> next.add(line, now));
                meanwhile = null;
                state = next;
            }
        }
    }

    private static List<Object> key(Line line) {
        return List.of(line.theodolite(), line.boot(), line.number());
    }

    synchronized void add(Line line, long now) {
        state.add(line, now);
        if (meanwhile != null) {
            meanwhile.add(line);
        }
    }

    private synchronized void doubt(Doubt doubt) {
        doubted++;
        doubts.addFirst(doubt);
        if (doubts.size() > DOUBTS) {
            doubts.removeLast();
        }
    }

    /** The newest sample of each session. */
    public synchronized List<SampleLine> newest() {
        return List.copyOf(state.newest.values());
    }

    /** What cannot be true, the newest first. */
    public synchronized List<Doubt> doubts() {
        return List.copyOf(doubts);
    }

    public synchronized long doubted() {
        return doubted;
    }

    public synchronized Topology topology() {
        return state.topology;
    }

    /** What is known of each metric between two hosts. */
    public synchronized Map<Metric, Evidence> evidence(String from, String to, Query query) {
        Map<Metric, Evidence> evidence = new EnumMap<>(Metric.class);
        for (Metric metric : Metric.values()) {
            evidence.put(metric, state.book.find(state.hosts.apply(from), state.hosts.apply(to), metric, query));
        }
        return evidence;
    }

    /** The costs of a transfer, side by side: by the name of each function. @param forecasts whether the time is by a forecast rather than the median */
    public synchronized Map<String, Estimate> costs(String from, String to, Query query, double alpha, int mss, boolean forecasts) {
        Map<String, Estimate> costs = new LinkedHashMap<>();
        String here = state.hosts.apply(from);
        String there = state.hosts.apply(to);
        costs.put("time", new TransferTime(state.book, forecasts).between(here, there, query));
        costs.put("closeness", new Closeness(state.book, alpha).between(here, there, query));
        costs.put("netcost", new NetCost(state.book, mss).between(here, there, query));
        return costs;
    }

    /** Replicas for each destination, the best first. @param function time, closeness or netcost; null if there is no such one */
    public synchronized Map<String, List<Estimate>> rank(List<String> replicas, List<String> destinations, Query query, String function, double alpha, int mss) {
        Optimiser optimiser = new Optimiser(state.book);
        var cost = switch (function) {
            case "time" -> new TransferTime(state.book, false);
            case "closeness" -> new Closeness(state.book, alpha);
            case "netcost" -> new NetCost(state.book, mss);
            default -> null;
        };
        if (cost == null) {
            return null;
        }
        Map<String, List<Estimate>> ranked = optimiser.rankAll(hosts(replicas), hosts(destinations), query, cost);
        Map<String, List<Estimate>> named = new LinkedHashMap<>();
        destinations.forEach(each -> named.put(each, ranked.get(state.hosts.apply(each)).stream().map(one -> new Estimate(name(replicas, one.from()), each, one.value(), one.error(), one.isKnown(), one.why())).toList()));
        return named;
    }

    private List<String> hosts(List<String> names) {
        return names.stream().map(state.hosts).toList();
    }

    /** As who asks has written it. */
    private String name(List<String> names, String host) {
        return names.stream().filter(each -> state.hosts.apply(each).equals(host)).findFirst().orElse(host);
    }

    public synchronized Optimiser.NetworkCosts[] networkCosts(String from, String to, double filesize, long now, long tolerance) {
        return new Optimiser(state.book).getNetworkCosts(state.hosts.apply(from), state.hosts.apply(to), filesize, now, tolerance);
    }

    public synchronized Optimiser.BestCeSes bestCeSes(List<String> ceList, List<List<String>> seMx, double alpha, long tolerance, List<String> tools, List<Double> sizes, long now) {
        Optimiser.BestCeSes best = new Optimiser(state.book).getBestCeSes(hosts(ceList), seMx.stream().map(this::hosts).toList(), alpha, tolerance, tools, sizes, now);
        List<String> bestSes = new ArrayList<>();
        for (int file = 0; file < seMx.size(); file++) {
            bestSes.add(name(seMx.get(file), best.bestSes().get(file)));
        }
        return new Optimiser.BestCeSes(name(ceList, best.bestCe()), bestSes, best.err(), best.s(), best.isStale(), best.why());
    }
}
