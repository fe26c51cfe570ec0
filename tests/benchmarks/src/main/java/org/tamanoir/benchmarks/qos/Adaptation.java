package org.tamanoir.benchmarks.qos;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.plot.Chart.Axes;
import org.tamanoir.benchmarks.plot.Chart.Series;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.qos.edge.EdgeNetwork;
import org.tamanoir.benchmarks.qos.edge.OpenSession;
import org.tamanoir.benchmarks.qos.edge.SessionTrips;
import org.tamanoir.benchmarks.qos.edge.SessionTrips.Trip;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.lab.FlowReceiver;
import org.tamanoir.lab.Flows;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.PacketSocket;

/**
 * How long a flow that asked for little delay is without the class that it needs: best effort is flooded, and is free again (active grid paper, section
 * 4.1: QoSinus adapts to what it measures).
 */
public final class Adaptation extends MeasuredOutcome {
    private static final String LEVEL = "maxDelayMs=10,traffic=100000";
    private static final List<Integer> PERIODS = List.of(1000, 500);
    private static final int ROUNDS = 5;
    private static final Duration INTERVAL = Duration.ofMillis(10);
    /** A link of so much suffices to be congested, and leaves the machine the time to be exact. */
    private static final long RATE = 100_000_000;
    private static final String BEST_EFFORT = "BE";
    /** In periods: how long a flood lasts, how long it may take until all is as before, how much of it is drawn after that. */
    private static final int FLOOD = 5;
    private static final int MOST = 20;
    private static final int AFTER = 2;
    private static final int POLL_MILLIS = 20;
    private static final long SEED = 2003;
    /** In periods: what was asked for. */
    private static final double BOUND = 3;
    /** Of the plot, in milliseconds: no longer round trip is drawn. */
    private static final double TALLEST = 200;
    private static final double NANOS = 1e9;
    private static final double NANOS_OF_MILLI = 1e6;

    /** From a packet on, the flow had a code point. @param at {@link System#nanoTime} */
    record Change(long at, int codePoint) {
    }

    /**
     * One flood and what the flow did.
     *
     * @param periodMillis of monitoring and of choices
     * @param begin        when the first packet of the flood had crossed the bottleneck; {@link System#nanoTime}
     * @param end          when the last one had
     * @param changes      of the code point of the flow's packets behind the bottleneck, from its code point before
     * @param trips        of the flow, from a while before the flood to its return
     * @param shownBetter  milliseconds from begin until the node was first seen to say that the flow is in another class than best effort; polled
     * @param shownBack    from end until it was first seen to say that it is in best effort again
     */
    record Round(int periodMillis, long begin, long end, List<Change> changes, List<Trip> trips, double shownBetter, double shownBack) {
        /** Milliseconds from the first packet of the flood to the first packet of the flow with another code point; infinite if there was none. */
        double better() {
            return changes.stream().filter(each -> each.codePoint != 0 && each.at - begin >= 0).mapToDouble(each -> (each.at - begin) / NANOS_OF_MILLI)
                    .findFirst().orElse(Double.POSITIVE_INFINITY);
        }

        /** Milliseconds from the last packet of the flood to the packet from which on the flow was best effort again; infinite if it was not. */
        double back() {
            Change last = changes.get(changes.size() - 1);
            return last.codePoint == 0 && last.at - end >= 0 ? (last.at - end) / NANOS_OF_MILLI : Double.POSITIVE_INFINITY;
        }

        /** Changes of the code point: two are one way and the other. */
        int count() {
            return changes.size() - 1;
        }
    }

    /**
     * With which code point the datagrams of the flow arrive at the far end of the bottleneck, and when the flood that crosses it too begins and ends:
     * by what is on the wire, all by one clock.
     */
    private static final class CodePoints implements AutoCloseable {
        private static final int MOST = 100_000;
        private static final int UDP = 17;

        private final List<Change> changes = new ArrayList<>();
        private final PacketSocket packets;
        /** Of the flood; 0 if none of it has come. */
        private long first;
        private long last;

        CodePoints(EdgeNetwork network) {
            packets = PacketSocket.open(network.testbed().egress(), this::look);
        }

        /** Of IPv4, and of UDP. */
        private synchronized void look(byte[] packet, int segment) {
            int header = (packet[0] & 0xF) * 4;
            if ((packet[0] & 0xF0) != 0x40 || packet[9] != UDP || packet.length < header + 4) {
                return;
            }
            int port = (packet[header + 2] & 0xFF) << 8 | packet[header + 3] & 0xFF;
            int codePoint = (packet[1] & 0xFF) >> 2;
            long now = System.nanoTime();
            if (port == FlowReceiver.PORT) {
                first = first == 0 ? now : first;
                last = now;
            } else if (port == EdgeNetwork.PORT && now() != codePoint && changes.size() < MOST) {
                changes.add(new Change(now, codePoint));
            }
        }

        /** Forgets the flood, and what the flow had before it has now. */
        synchronized void clear() {
            first = 0;
            last = 0;
            if (changes.size() > 1) {
                changes.subList(0, changes.size() - 1).clear();
            }
        }

        /** The code point of the newest packet of the flow; -1 if there was none. */
        synchronized int now() {
            return changes.isEmpty() ? -1 : changes.get(changes.size() - 1).codePoint;
        }

        synchronized Round round(int period, List<Trip> trips, long shownBetter, long shownBack) {
            return new Round(period, first, last, List.copyOf(changes), trips, (shownBetter - first) / NANOS_OF_MILLI,
                    (shownBack - last) / NANOS_OF_MILLI);
        }

        @Override
        public void close() {
            packets.close();
        }
    }

    private final List<Integer> periods;
    private final List<Round> rounds = new ArrayList<>();

    /** @param periods that are to be measured, in milliseconds; a round may be missing */
    Adaptation(List<Integer> periods, Measurements measured) {
        super("adaptation", measured);
        this.periods = periods;
    }

    public static Outcome run(QosPlan plan, Consumer<String> progress) {
        Adaptation adaptation = new Adaptation(plan.quick() ? PERIODS.subList(1, 2) : PERIODS, new Measurements(progress));
        int count = (plan.quick() ? 1 : ROUNDS) * plan.runs();
        for (int period : adaptation.periods) {
            adaptation.measured.attempt("adaptation, period " + period + " ms", () -> adaptation.measure(Math.min(RATE, plan.rate()), period, count));
        }
        return adaptation;
    }

    private void measure(long rate, int period, int count) {
        try (EdgeNetwork network = EdgeNetwork.withNodes(rate, Duration.ofMillis(period), "")) {
            OpenSession session = network.open(FlowReceiver.ECHO_PORT, true, LEVEL);
            try (SessionTrips trips = network.trips(session, INTERVAL); CodePoints codePoints = new CodePoints(network)) {
                session.awaitMeasured();
                Random phase = new Random(SEED);
                for (int round = 0; round < count; round++) {
                    measured.doing("period " + period + " ms, " + Measurements.name(round) + " of " + count);
                    // Nothing of a round before is left, and floods begin anywhere in a period.
                    session.awaitClass(BEST_EFFORT, Duration.ofMillis((long) MOST * period));
                    Pause.millis((long) AFTER * period + phase.nextInt(period));
                    add(round(network, session, trips, codePoints, period));
                }
            }
        }
    }

    private static Round round(EdgeNetwork network, OpenSession session, SessionTrips trips, CodePoints codePoints, int period) {
        if (codePoints.now() != 0) {
            throw new LabException("before the flood the flow has the code point " + codePoints.now());
        }
        codePoints.clear();
        Duration patience = Duration.ofMillis((long) MOST * period);
        long before = System.nanoTime();
        Flows.Flow flood = network.flood(EdgeNetwork.FLOOD, FLOOD * period / 1e3);
        session.awaitOtherThan(BEST_EFFORT, patience);
        long better = System.nanoTime();
        flood.sent();
        session.awaitClass(BEST_EFFORT, patience);
        long back = System.nanoTime();
        long end = back + Duration.ofMillis((long) AFTER * period).toNanos();
        while (codePoints.now() != 0 && System.nanoTime() - end < 0) {
            Pause.millis(POLL_MILLIS);
        }
        Pause.millis((long) AFTER * period);
        return codePoints.round(period, trips.between(before - Duration.ofMillis(period).toNanos(), System.nanoTime() - Duration.ofSeconds(1).toNanos()),
                better, back);
    }

    void add(Round round) {
        rounds.add(round);
        int period = round.periodMillis;
        measured.add(key(period, "until-better", "ms"), round.better());
        measured.add(key(period, "until-back", "ms"), round.back());
        measured.add(key(period, "until-better-periods", "periods"), round.better() / period);
        measured.add(key(period, "until-back-periods", "periods"), round.back() / period);
        measured.add(key(period, "until-better-shown", "ms"), round.shownBetter);
        measured.add(key(period, "until-back-shown", "ms"), round.shownBack);
        measured.add(key(period, "changes", "1"), round.count());
    }

    private static Key key(int period, String metric, String unit) {
        return new Key("adaptation-" + period + "ms", "tamanoir-qosinus", 0, 1, metric, unit);
    }

    private Double longest(int period, String metric) {
        return samples().of(key(period, metric, "periods")).stream().max(Double::compare).orElse(null);
    }

    private int count(int period) {
        return samples().of(key(period, "changes", "1")).size();
    }

    @Override
    public List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        for (int period : periods) {
            targets.add(target(period, "the path degrades: until the flow is in a better class", "until-better-periods"));
            targets.add(target(period, "the path recovers: until the flow is back in best effort", "until-back-periods"));
        }
        return targets;
    }

    private Target target(int period, String what, String metric) {
        return Target.atMost(String.format(Locale.ROOT, "adaptation, period %d ms, %s, in periods, the longest of %d rounds", period, what,
                count(period)), longest(period, metric), BOUND);
    }

    @Override
    public void print(PrintWriter out) {
        out.println("Adaptation: a flow with " + LEVEL + " while best effort is flooded with 250 % of the link, and after.");
        out.print("Times are between packets behind the bottleneck: the first of the flood and the first of the flow with another code point; the "
                + "last of the flood and the first of the flow from which on it is best effort again.");
        Table<Integer> table = new Table<>("period", period -> period + " ms");
        for (String what : List.of("better", "back")) {
            table.median("until " + what + ", ms", "%.0f", samples(), period -> key(period, "until-" + what, "ms"))
                    .median("in periods", "%.1f", samples(), period -> key(period, "until-" + what + "-periods", "periods"))
                    .number("longest", "%.1f", period -> longest(period, "until-" + what + "-periods"));
        }
        table.text("rounds", period -> Integer.toString(count(period))).print(out, periods);
    }

    @Override
    public Map<String, String> csv() {
        StringBuilder times = new StringBuilder("period_ms,round,better_ms,back_ms,shown_better_ms,shown_back_ms,changes\r\n");
        StringBuilder trips = new StringBuilder("period_ms,round,seconds,rtt_ms\r\n");
        StringBuilder changes = new StringBuilder("period_ms,round,seconds,code_point\r\n");
        for (int i = 0; i < rounds.size(); i++) {
            Round round = rounds.get(i);
            String name = round.periodMillis + "," + (i + 1);
            times.append(String.format(Locale.ROOT, "%s,%.1f,%.1f,%.1f,%.1f,%d\r\n", name, round.better(), round.back(), round.shownBetter,
                    round.shownBack, round.count()));
            round.trips.forEach(trip -> trips.append(String.format(Locale.ROOT, "%s,%.4f,%s\r\n", name, (trip.sent() - round.begin) / NANOS,
                    trip.isLost() ? "lost" : String.format(Locale.ROOT, "%.4f", trip.millis()))));
            round.changes.forEach(change -> changes.append(String.format(Locale.ROOT, "%s,%.4f,%d\r\n", name, (change.at - round.begin) / NANOS,
                    change.codePoint)));
        }
        return Map.of("adaptation", times.toString(), "adaptation-trips", trips.toString(), "adaptation-code-points", changes.toString());
    }

    /** The first round of each period. */
    @Override
    public Map<String, Chart> charts() {
        Map<String, Chart> charts = new LinkedHashMap<>();
        rounds.forEach(round -> charts.computeIfAbsent("adaptation-" + round.periodMillis + "ms", unused -> chart(round)));
        return charts;
    }

    private static Chart chart(Round round) {
        long origin = round.trips.get(0).sent();
        double begin = (round.begin - origin) / NANOS;
        double end = (round.end - origin) / NANOS;
        Chart chart = new Chart("A flow that asked for 10 ms, period " + round.periodMillis + " ms", "seconds", "ms; code point", Axes.LINEAR,
                List.of(String.format(Locale.ROOT, "Best effort is flooded from %.2f s to %.2f s (crosses). Lost packets are not drawn.", begin, end)));
        Series trips = chart.line("round trip, ms", "#c8553d", false);
        round.trips.stream().filter(trip -> !trip.isLost()).forEach(trip -> trips.add((trip.sent() - origin) / NANOS, Math.min(TALLEST, trip.millis())));
        Series codePoint = chart.line("code point", "#0b6e4f", true);
        int before = 0;
        for (Change change : round.changes) {
            double at = Math.max(0, (change.at - origin) / NANOS);
            codePoint.add(at, before);
            codePoint.add(at + 1e-6, change.codePoint);
            before = change.codePoint;
        }
        codePoint.add((round.trips.get(round.trips.size() - 1).sent() - origin) / NANOS, before);
        chart.mark("begin and end of the flood", begin, 0);
        chart.mark("begin and end of the flood", end, 0);
        return chart;
    }
}
