package org.tamanoir.benchmarks.dyram.lab;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.tamanoir.benchmarks.dyram.lab.LabPlan.Case;
import org.tamanoir.benchmarks.dyram.lab.LabPlan.Kind;
import org.tamanoir.benchmarks.dyram.lab.LabPlan.Loss;
import org.tamanoir.benchmarks.dyram.lab.LabRun.Figures;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;

/** What follows from the runs: rows, targets and tables. Octets on links are of IP packets and in parts of the file. */
record LabResults(LabPlan plan, Samples samples) {
    /** Octets on the source's link, in parts of the file. */
    private static final Map<Loss, Double> SOURCE_LINK = Map.of(Loss.NONE, 1.07, Loss.each(5), 1.08, Loss.each(25), 1.12, Loss.site(5), 1.07, Loss.site(25), 1.15);
    /** Seconds, of the usual file at the usual rate alone. */
    private static final Map<Loss, Double> SECONDS = Map.of(Loss.NONE, 4.0, Loss.each(25), 5.5);
    /** In these NORM is the mark, for the usual file at the usual rate. */
    private static final Set<Loss> BESIDE_NORM = Set.of(Loss.NONE, Loss.each(25));
    private static final double MOST_TIME = 1.1;
    private static final double MOST_CPU = 2;

    /** What is measured of a run. @param heading of its column, with the format; null if it has none */
    private record Metric(String name, String unit, String heading, String format, ToDoubleFunction<Figures> value) {
    }

    /** A run has a time only if every receiver got the file. */
    private static final Metric TIME = new Metric("complete-after", "s", "s", "%.2f", Figures::seconds);
    private static final Metric IDENTICAL = new Metric("identical", "receivers", null, null, Figures::identical);
    private static final Metric LINK = new Metric("source-link", "files", "source link", "%.3f", Figures::sourceLink);
    private static final Metric CPU = new Metric("cpu", "s", "cpu", "%.1f", Figures::cpu);
    private static final List<Metric> METRICS = List.of(TIME, new Metric("complete", "receivers", null, null, Figures::complete), IDENTICAL, LINK,
            new Metric("site-links-down", "files", "site-links-down", "%.3f", Figures::sitesDown),
            new Metric("site-links-up", "files", "site-links-up", "%.3f", Figures::sitesUp),
            new Metric("packets-to-source", "packets", "to source", "%,.0f", Figures::control), CPU,
            new Metric("cpu-start", "s", "cpu-start", "%.1f", Figures::starting),
            new Metric("cpu-compilers", "s", "cpu-compilers", "%.1f", Figures::compilers),
            new Metric("cpu-protocol", "s", "cpu-protocol", "%.1f", figures -> figures.cpu() - figures.starting() - figures.compilers()),
            new Metric("socket-overflows", "packets", null, null, Figures::overflows));

    private Key key(Case which, Kind kind, Metric metric) {
        return new Key(which.toString(), kind.toString(), 0, plan.expected(), metric.name, metric.unit);
    }

    private Double median(Case which, Kind kind, Metric metric) {
        return samples.median(key(which, kind, metric));
    }

    private List<Double> runs(Case which, Kind kind, Metric metric) {
        return samples.of(key(which, kind, metric));
    }

    void add(Case which, Kind kind, Figures figures) {
        for (Metric metric : METRICS) {
            double value = metric.value.applyAsDouble(figures);
            if (!Double.isNaN(value)) {
                samples.add(key(which, kind, metric), value);
            }
        }
    }

    /** What Tamanoir has to reach beside the peers, in the cases that were to be run. Times and CPU are asked of warm processes; copies of cold ones too. */
    List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        plan.systems().stream().filter(Kind::isOwn).forEach(kind -> plan.measured().forEach(which -> add(targets, kind, which)));
        return targets;
    }

    private void add(List<Target> targets, Kind kind, Case which) {
        String name = kind + ", " + which + ": ";
        Loss loss = which.loss();
        if (SOURCE_LINK.containsKey(loss) && !which.cold()) {
            targets.add(Target.atMost(name + "source link, files", median(which, kind, LINK), SOURCE_LINK.get(loss)));
        }
        if (SECONDS.containsKey(loss) && plan.isUsual() && !which.cold()) {
            targets.add(Target.atMost(name + "complete after, s", median(which, kind, TIME), SECONDS.get(loss)));
        }
        if (BESIDE_NORM.contains(loss) && plan.isUsual() && !which.cold() && plan.systems().contains(Kind.NORM)) {
            targets.add(Target.atMost(name + "time, of NORM's", ofNorm(which, kind, TIME), MOST_TIME));
            targets.add(Target.atMost(name + "CPU, of NORM's", ofNorm(which, kind, CPU), MOST_CPU));
        }
        targets.add(Target.atLeast(name + "complete and identical in the worst run, receivers", worst(which, kind), plan.expected()));
    }

    /** Of the medians; null if one is missing. */
    private Double ofNorm(Case which, Kind kind, Metric metric) {
        Double ours = median(which, kind, metric);
        Double theirs = median(which, Kind.NORM, metric);
        return ours == null || theirs == null ? null : ours / theirs;
    }

    /** Identical copies of the worst run: a receiver without the file is not made good by another run. */
    private Double worst(Case which, Kind kind) {
        List<Double> runs = runs(which, kind, IDENTICAL);
        return runs.isEmpty() ? null : Collections.min(runs);
    }

    void print(PrintWriter out) {
        out.printf("%n%,d octets to %d receivers at %d sites, %.0f Mbit/s, 20 ms there and back; links in parts of the file.%n"
                + "Medians of the runs; in seconds, of those in which every receiver got the file. Cold: every process is started for the run.%n",
                plan.octets(), plan.expected(), plan.sites(), plan.bits() / 1e6);
        for (Case which : plan.measured()) {
            Table<Kind> table = new Table<Kind>(which.toString(), Kind::toString)
                    .text("runs", kind -> Integer.toString(runs(which, kind, IDENTICAL).size()))
                    .text("whole", kind -> Integer.toString(runs(which, kind, TIME).size()))
                    .text("worst run", kind -> Samples.text("%.0f of " + plan.expected(), worst(which, kind)));
            for (Metric metric : METRICS) {
                if (metric.heading != null) {
                    table.number(metric.heading, metric.format, kind -> median(which, kind, metric));
                }
            }
            table.print(out, plan.systems());
        }
    }
}
