package org.tamanoir.benchmarks.observatory;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;

/**
 * The experiment of GlueDomains, section 5.2: one file after the other is fetched, from a storage host that is chosen at random or by what theodolites have measured.
 * In each round every way to choose has one fetch, in an order that turns.
 */
final class Scope extends MeasuredOutcome {
    private static final long PAPER_OCTETS = 1_246_076_580;
    private static final double PAPER_RATIO = 701 / 120.0;
    private static final double LEAST = 4;
    /** Figures 7, 9 and 10: seconds of one, mean seconds, minutes of ten, Mbit/s. */
    private static final Map<String, double[]> PAPER = Map.of("random", new double[] {701.94, 701, 116, 14}, "netcost", new double[] {111.09, 120, 20, 81});

    private record Fetch(int round, String way, String source, double seconds) {
    }

    private final ObservatoryPlan plan;
    private final Random random;
    private final long octets;
    private final List<Fetch> fetches = new ArrayList<>();

    private Scope(ObservatoryPlan plan, Measurements measured) {
        super("scope", measured);
        this.plan = plan;
        this.random = new Random(plan.seed());
        this.octets = PAPER_OCTETS / plan.scale();
    }

    /** @throws org.tamanoir.lab.LabException if the laboratory cannot be made */
    static Outcome run(ObservatoryPlan plan, Consumer<String> progress) {
        Scope scope = new Scope(plan, new Measurements(progress));
        scope.measured.doing("starting nodes, movers and the observatory");
        try (ScopeSite site = new ScopeSite(scope.octets)) {
            // What is fetched first is slow by its programs, which have compiled nothing yet.
            ScopeSite.SOURCES.forEach(source -> scope.measured.attemptAny("warm-up, " + source, () -> site.fetch(source)));
            site.synchronise();
            long begun = System.currentTimeMillis();
            scope.measured.attemptAny("waiting for pings", () -> site.awaitPings(begun + 10_000));
            for (int round = 0; round < plan.fetches(); round++) {
                scope.round(site, round);
            }
            double seconds = (System.currentTimeMillis() - begun) / 1e3;
            scope.measured.add(new Key("synchronising", "two storage hosts", 0, 0, "rate", "Mbit/s"), site.synchronised() * 8 / seconds / 1e6);
            scope.measured.add(new Key("scope", "all", 0, 0, "took", "s"), seconds);
        }
        return scope;
    }

    private void round(ScopeSite site, int round) {
        measured.attemptAny("measuring, " + Measurements.name(round), () -> site.measureFlows().forEach((source, rate) -> measured.add(new Key("measured", source, 0, 1, "flow", "Mbit/s"), rate)));
        for (String way : Measurements.turned(plan.ways(), round)) {
            measured.attemptAny(way + ", " + Measurements.name(round), () -> {
                String source;
                if (way.equals(ObservatoryPlan.RANDOM)) {
                    source = ScopeSite.SOURCES.get(random.nextInt(ScopeSite.SOURCES.size()));
                } else {
                    JsonNode first = site.choose(way, octets);
                    source = first.path("replica").asText();
                }
                double seconds = site.fetch(source);
                fetches.add(new Fetch(round, way, source, seconds));
                measured.add(new Key("fetch", way, 0, 1, "time", "s"), seconds);
                measured.add(new Key("fetch from", source, 0, 1, "time", "s"), seconds);
            });
        }
    }

    private List<Double> seconds(String what, String of) {
        return samples().of(new Key(what, of, 0, 1, "time", "s"));
    }

    /** Null if there was none. */
    private static Double mean(List<Double> values) {
        return values.isEmpty() ? null : (Double) values.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
    }

    private Double mean(String way) {
        return mean(seconds("fetch", way));
    }

    /** Null unless both ways were measured. */
    private Double ratio(String way) {
        Double random = mean(ObservatoryPlan.RANDOM);
        Double other = mean(way);
        return random == null || other == null ? null : (Double) (random / other);
    }

    /** What choosing at random would take in the mean of very many fetches, by those of each source; null if one was never fetched from. */
    private Double expected() {
        List<Double> means = ScopeSite.SOURCES.stream().map(source -> mean(seconds("fetch from", source))).toList();
        return means.stream().anyMatch(each -> each == null) ? null : mean(means);
    }

    @Override
    public List<Target> targets() {
        return List.of(Target.atLeast("mean fetch from a random source in parts of one chosen by netcost", ratio("netcost"), LEAST),
                Target.atLeast("mean fetch from a random source in parts of one chosen by time", ratio("time"), LEAST));
    }

    @Override
    public void print(PrintWriter out) {
        new Table<Fetch>("fetches, in their order", each -> Measurements.name(each.round) + ", " + each.way).text("source", Fetch::source).number("s", "%.2f", Fetch::seconds)
                .number("Mbit/s", "%.1f", each -> octets * 8 / each.seconds / 1e6).print(out, fetches);
        new Table<String>("chosen by", way -> way).number("fetches", "%.0f", way -> (double) seconds("fetch", way).size())
                .number("mean s", "%.2f", this::mean).number("series min", "%.2f", way -> seconds("fetch", way).stream().mapToDouble(Double::doubleValue).sum() / 60)
                .number("Mbit/s", "%.1f", way -> mean(way) == null ? null : (Double) (octets * 8 / mean(way) / 1e6)).number("random/this", "%.2f", this::ratio)
                .number("paper: one s", "%.1f", way -> paper(way, 0)).number("mean s", "%.0f", way -> paper(way, 1)).number("series min", "%.0f", way -> paper(way, 2))
                .number("Mbit/s", "%.0f", way -> paper(way, 3)).number("random/this", "%.2f", way -> way.equals("netcost") ? (Double) PAPER_RATIO : null).print(out, plan.ways());
        new Table<String>("fetched from", source -> source).number("fetches", "%.0f", source -> (double) seconds("fetch from", source).size())
                .number("mean s", "%.2f", source -> mean(seconds("fetch from", source)))
                .median("flow Mbit/s", "%.1f", samples(), source -> new Key("measured", source, 0, 1, "flow", "Mbit/s")).print(out, ScopeSite.SOURCES);
        out.printf("%n  a file of %d octets, the paper's divided by %d; links of %d Mbit/s; %s; one stream through two nodes; sources at random with seed %d%n", octets, plan.scale(), ScopeSite.RATE,
                ScopeSite.CONTROL, plan.seed());
        out.printf("  gsc and centro send %d flows to each other and to a further site all the time: %s Mbit/s of them together%n", ScopeSite.FLOWS_EACH,
                Samples.text("%.1f", samples().median(new Key("synchronising", "two storage hosts", 0, 0, "rate", "Mbit/s"))));
        out.printf("  of very many fetches from random sources the mean would be %s s, by the means of each source%n", Samples.text("%.2f", expected()));
    }

    private static Double paper(String way, int column) {
        return PAPER.containsKey(way) ? (Double) PAPER.get(way)[column] : null;
    }
}
