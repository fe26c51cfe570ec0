package org.tamanoir.benchmarks.qos.adaptation;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.plot.Chart.Axes;
import org.tamanoir.benchmarks.plot.Chart.Series;
import org.tamanoir.benchmarks.qos.edge.CodePoints.Change;
import org.tamanoir.benchmarks.qos.edge.SessionTrips.Trip;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Target;

/** Every round, and what follows from them. */
final class AdaptationOutcome implements Outcome {
    /** Of monitoring: what was asked for. */
    private static final double BOUND = 3;
    private static final String SYSTEM = "tamanoir-qosinus";
    private static final double NANOS = 1e9;
    /** Of the plot, in milliseconds: no longer round trip is drawn. */
    private static final double TALLEST = 200;

    private final List<Round> rounds;
    private final List<String> failures;

    AdaptationOutcome(List<Round> rounds, List<String> failures) {
        this.rounds = rounds;
        this.failures = failures;
    }

    private List<Long> periods() {
        return rounds.stream().map(Round::periodMillis).distinct().toList();
    }

    private List<Double> values(long period, ToDoubleFunction<Round> of) {
        return rounds.stream().filter(round -> round.periodMillis() == period).map(of::applyAsDouble).toList();
    }

    private static Key key(long period, String metric, String unit) {
        return new Key("adaptation-" + period + "ms", SYSTEM, 0, 1, metric, unit);
    }

    @Override
    public List<Row> rows() {
        Samples samples = new Samples();
        for (Round round : rounds) {
            long period = round.periodMillis();
            samples.add(key(period, "until-better", "ms"), round.better());
            samples.add(key(period, "until-back", "ms"), round.back());
            samples.add(key(period, "until-better-periods", "periods"), round.better() / period);
            samples.add(key(period, "until-back-periods", "periods"), round.back() / period);
            samples.add(key(period, "until-better-shown", "ms"), round.shownBetterMillis());
            samples.add(key(period, "until-back-shown", "ms"), round.shownBackMillis());
            samples.add(key(period, "changes", "1"), round.count());
        }
        return samples.rows();
    }

    @Override
    public List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        for (long period : periods()) {
            targets.add(target(period, "the path degrades: until the flow is in a better class", Round::better));
            targets.add(target(period, "the path recovers: until the flow is back in best effort", Round::back));
        }
        return targets;
    }

    private Target target(long period, String what, ToDoubleFunction<Round> of) {
        List<Double> values = values(period, of);
        return Target.atMost(String.format(Locale.ROOT, "adaptation, period %d ms, %s, in periods, the longest of %d rounds", period, what, values.size()),
                values.stream().mapToDouble(Double::doubleValue).max().orElseThrow() / period, BOUND);
    }

    @Override
    public List<String> failures() {
        return failures;
    }

    @Override
    public void print(PrintWriter out) {
        out.println("Adaptation: a flow with " + Adaptation.LEVEL + " while best effort is flooded with 250 % of the link, and after.");
        out.println("Times are between packets behind the bottleneck: the first of the flood and the first of the flow with another code point; the "
                + "last of the flood and the first of the flow from which on it is best effort again.");
        for (long period : periods()) {
            line(out, period, "until better", values(period, Round::better));
            line(out, period, "until back", values(period, Round::back));
        }
        out.println();
    }

    private static void line(PrintWriter out, long period, String what, List<Double> values) {
        double most = values.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
        double median = Samples.median(values);
        out.printf(Locale.ROOT, "  period %4d ms  %-12s  median %6.0f ms = %.1f periods   longest %6.0f ms = %.1f periods   (%d rounds)%n", period, what,
                median, median / period, most, most / period, values.size());
    }

    @Override
    public Map<String, String> csv() {
        StringBuilder times = new StringBuilder("period_ms,round,better_ms,back_ms,shown_better_ms,shown_back_ms,changes\r\n");
        StringBuilder trips = new StringBuilder("period_ms,round,seconds,rtt_ms\r\n");
        StringBuilder changes = new StringBuilder("period_ms,round,seconds,code_point\r\n");
        for (int i = 0; i < rounds.size(); i++) {
            Round round = rounds.get(i);
            times.append(String.format(Locale.ROOT, "%d,%d,%.1f,%.1f,%.1f,%.1f,%d\r\n", round.periodMillis(), i + 1, round.better(), round.back(),
                    round.shownBetterMillis(), round.shownBackMillis(), round.count()));
            for (Trip trip : round.trips()) {
                trips.append(String.format(Locale.ROOT, "%d,%d,%.4f,%s\r\n", round.periodMillis(), i + 1, seconds(round, trip.sent()),
                        trip.isLost() ? "lost" : String.format(Locale.ROOT, "%.4f", trip.millis())));
            }
            for (Change change : round.changes()) {
                changes.append(String.format(Locale.ROOT, "%d,%d,%.4f,%d\r\n", round.periodMillis(), i + 1, seconds(round, change.at()),
                        change.codePoint()));
            }
        }
        return Map.of("adaptation", times.toString(), "adaptation-trips", trips.toString(), "adaptation-code-points", changes.toString());
    }

    private static double seconds(Round round, long at) {
        return (at - round.begin()) / NANOS;
    }

    @Override
    public Map<String, Chart> charts() {
        Map<String, Chart> charts = new java.util.TreeMap<>();
        for (long period : periods()) {
            Round round = rounds.stream().filter(each -> each.periodMillis() == period).findFirst().orElseThrow();
            charts.put("adaptation-" + period + "ms", chart(round));
        }
        return charts;
    }

    private static Chart chart(Round round) {
        long origin = round.trips().get(0).sent();
        Chart chart = new Chart("A flow that asked for 10 ms, period " + round.periodMillis() + " ms", "seconds", "ms; code point", Axes.LINEAR,
                List.of(String.format(Locale.ROOT, "Best effort is flooded from %.2f s to %.2f s (crosses). Lost packets are not drawn.",
                        (round.begin() - origin) / NANOS, (round.end() - origin) / NANOS)));
        Series trips = new Series("round trip, ms", "#c8553d", false);
        round.trips().stream().filter(trip -> !trip.isLost()).forEach(trip -> trips.add((trip.sent() - origin) / NANOS, Math.min(TALLEST, trip.millis())));
        Series codePoint = new Series("code point", "#0b6e4f", true);
        int before = 0;
        for (Change change : round.changes()) {
            double at = Math.max(0, (change.at() - origin) / NANOS);
            codePoint.add(at, before);
            codePoint.add(at + 1e-6, change.codePoint());
            before = change.codePoint();
        }
        codePoint.add((round.trips().get(round.trips().size() - 1).sent() - origin) / NANOS, before);
        chart.series().addAll(List.of(trips, codePoint));
        chart.mark("begin and end of the flood", (round.begin() - origin) / NANOS, 0);
        chart.mark("begin and end of the flood", (round.end() - origin) / NANOS, 0);
        return chart;
    }
}
