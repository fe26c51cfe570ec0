package org.tamanoir.benchmarks.qos.adaptation;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.plot.Chart.Axes;
import org.tamanoir.benchmarks.plot.Chart.Series;
import org.tamanoir.benchmarks.qos.adaptation.Adaptation.Round;
import org.tamanoir.benchmarks.qos.edge.CodePoints.Change;
import org.tamanoir.benchmarks.qos.edge.SessionTrips.Trip;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;

/** Every round, and what follows from them. */
final class AdaptationOutcome extends MeasuredOutcome {
    /** Of monitoring: what was asked for. */
    private static final double BOUND = 3;
    private static final double NANOS = 1e9;
    /** Of the plot, in milliseconds: no longer round trip is drawn. */
    private static final double TALLEST = 200;

    private final List<Integer> periods;
    private final List<Round> rounds;

    /** @param periods that were to be measured, in milliseconds; a round may be missing */
    AdaptationOutcome(List<Integer> periods, List<Round> rounds, Measurements measured) {
        super("adaptation", measured);
        this.periods = periods;
        this.rounds = rounds;
        for (Round round : rounds) {
            int period = round.periodMillis();
            samples().add(key(period, "until-better", "ms"), round.better());
            samples().add(key(period, "until-back", "ms"), round.back());
            samples().add(key(period, "until-better-periods", "periods"), round.better() / period);
            samples().add(key(period, "until-back-periods", "periods"), round.back() / period);
            samples().add(key(period, "until-better-shown", "ms"), round.shownBetterMillis());
            samples().add(key(period, "until-back-shown", "ms"), round.shownBackMillis());
            samples().add(key(period, "changes", "1"), round.count());
        }
    }

    private static Key key(int period, String metric, String unit) {
        return new Key("adaptation-" + period + "ms", "tamanoir-qosinus", 0, 1, metric, unit);
    }

    private Double longest(int period, String metric) {
        return samples().of(key(period, metric, "periods")).stream().max(Double::compare).orElse(null);
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
                samples().of(key(period, metric, "periods")).size()), longest(period, metric), BOUND);
    }

    @Override
    public void print(PrintWriter out) {
        out.println("Adaptation: a flow with " + Adaptation.LEVEL + " while best effort is flooded with 250 % of the link, and after.");
        out.print("Times are between packets behind the bottleneck: the first of the flood and the first of the flow with another code point; the "
                + "last of the flood and the first of the flow from which on it is best effort again.");
        new Table<Integer>("period", period -> period + " ms")
                .median("until better, ms", "%.0f", samples(), period -> key(period, "until-better", "ms"))
                .median("in periods", "%.1f", samples(), period -> key(period, "until-better-periods", "periods"))
                .number("longest", "%.1f", period -> longest(period, "until-better-periods"))
                .median("until back, ms", "%.0f", samples(), period -> key(period, "until-back", "ms"))
                .median("in periods", "%.1f", samples(), period -> key(period, "until-back-periods", "periods"))
                .number("longest", "%.1f", period -> longest(period, "until-back-periods"))
                .text("rounds", period -> Integer.toString(samples().of(key(period, "changes", "1")).size())).print(out, periods);
    }

    @Override
    public Map<String, String> csv() {
        StringBuilder times = new StringBuilder("period_ms,round,better_ms,back_ms,shown_better_ms,shown_back_ms,changes\r\n");
        StringBuilder trips = new StringBuilder("period_ms,round,seconds,rtt_ms\r\n");
        StringBuilder changes = new StringBuilder("period_ms,round,seconds,code_point\r\n");
        for (int i = 0; i < rounds.size(); i++) {
            Round round = rounds.get(i);
            String name = round.periodMillis() + "," + (i + 1);
            times.append(String.format(Locale.ROOT, "%s,%.1f,%.1f,%.1f,%.1f,%d\r\n", name, round.better(), round.back(), round.shownBetterMillis(),
                    round.shownBackMillis(), round.count()));
            for (Trip trip : round.trips()) {
                trips.append(String.format(Locale.ROOT, "%s,%.4f,%s\r\n", name, (trip.sent() - round.begin()) / NANOS,
                        trip.isLost() ? "lost" : String.format(Locale.ROOT, "%.4f", trip.millis())));
            }
            for (Change change : round.changes()) {
                changes.append(String.format(Locale.ROOT, "%s,%.4f,%d\r\n", name, (change.at() - round.begin()) / NANOS, change.codePoint()));
            }
        }
        return Map.of("adaptation", times.toString(), "adaptation-trips", trips.toString(), "adaptation-code-points", changes.toString());
    }

    /** The first round of each period. */
    @Override
    public Map<String, Chart> charts() {
        Map<String, Chart> charts = new LinkedHashMap<>();
        rounds.forEach(round -> charts.computeIfAbsent("adaptation-" + round.periodMillis() + "ms", unused -> chart(round)));
        return charts;
    }

    private static Chart chart(Round round) {
        long origin = round.trips().get(0).sent();
        double begin = (round.begin() - origin) / NANOS;
        double end = (round.end() - origin) / NANOS;
        Chart chart = new Chart("A flow that asked for 10 ms, period " + round.periodMillis() + " ms", "seconds", "ms; code point", Axes.LINEAR,
                List.of(String.format(Locale.ROOT, "Best effort is flooded from %.2f s to %.2f s (crosses). Lost packets are not drawn.", begin, end)));
        Series trips = chart.line("round trip, ms", "#c8553d", false);
        round.trips().stream().filter(trip -> !trip.isLost()).forEach(trip -> trips.add((trip.sent() - origin) / NANOS, Math.min(TALLEST, trip.millis())));
        Series codePoint = chart.line("code point", "#0b6e4f", true);
        int before = 0;
        for (Change change : round.changes()) {
            double at = Math.max(0, (change.at() - origin) / NANOS);
            codePoint.add(at, before);
            codePoint.add(at + 1e-6, change.codePoint());
            before = change.codePoint();
        }
        codePoint.add((round.trips().get(round.trips().size() - 1).sent() - origin) / NANOS, before);
        chart.mark("begin and end of the flood", begin, 0);
        chart.mark("begin and end of the flood", end, 0);
        return chart;
    }
}
