package org.tamanoir.benchmarks.dyram.lab;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tamanoir.benchmarks.dyram.lab.LabPlan.Case;
import org.tamanoir.benchmarks.dyram.lab.LabPlan.Kind;
import org.tamanoir.benchmarks.dyram.lab.LabPlan.Loss;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;

/** What follows from the runs: rows, targets and tables. Octets on links are of IP packets and in parts of the file. */
final class LabResults {
    /** Octets on the source's link, in parts of the file. */
    private static final Map<Loss, Double> SOURCE_LINK = Map.of(Loss.NONE, 1.07, Loss.each(5), 1.08, Loss.each(25), 1.12, Loss.site(5), 1.07, Loss.site(25), 1.15);
    /** Seconds, of the usual file at the usual rate alone. */
    private static final Map<Loss, Double> SECONDS = Map.of(Loss.NONE, 4.0, Loss.each(25), 5.5);
    /** In these NORM is the mark, for the usual file at the usual rate. */
    private static final Set<Loss> BESIDE_NORM = Set.of(Loss.NONE, Loss.each(25));
    private static final double MOST_TIME = 1.1;
    private static final double MOST_CPU = 2;

    private final LabPlan plan;
    private final Samples samples;

    LabResults(LabPlan plan, Samples samples) {
        this.plan = plan;
        this.samples = samples;
    }

    private Key key(Case which, Kind kind, String metric, String unit) {
        return new Key(which.toString(), kind.toString(), 0, plan.expected(), metric, unit);
    }

    /** A run has a time only if every receiver got the file. */
    private Key seconds(Case which, Kind kind) {
        return key(which, kind, "complete-after", "s");
    }

    private Key cpu(Case which, Kind kind) {
        return key(which, kind, "cpu", "s");
    }

    private Key sourceLink(Case which, Kind kind) {
        return key(which, kind, "source-link", "files");
    }

    private Key identical(Case which, Kind kind) {
        return key(which, kind, "identical", "receivers");
    }

    void add(Case which, Kind kind, LabRun.Figures figures) {
        if (!Double.isNaN(figures.seconds())) {
            samples.add(seconds(which, kind), figures.seconds());
        }
        samples.add(key(which, kind, "complete", "receivers"), figures.complete());
        samples.add(identical(which, kind), figures.identical());
        samples.add(sourceLink(which, kind), figures.sourceLink());
        samples.add(key(which, kind, "site-links-down", "files"), figures.sitesDown());
        samples.add(key(which, kind, "site-links-up", "files"), figures.sitesUp());
        samples.add(key(which, kind, "packets-to-source", "packets"), figures.control());
        samples.add(cpu(which, kind), figures.cpu());
        samples.add(key(which, kind, "cpu-start", "s"), figures.starting());
        samples.add(key(which, kind, "cpu-compilers", "s"), figures.compilers());
        samples.add(key(which, kind, "cpu-protocol", "s"), figures.cpu() - figures.starting() - figures.compilers());
        samples.add(key(which, kind, "socket-overflows", "packets"), figures.overflows());
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
            targets.add(Target.atMost(name + "source link, files", samples.median(sourceLink(which, kind)), SOURCE_LINK.get(loss)));
        }
        if (SECONDS.containsKey(loss) && plan.isUsual() && !which.cold()) {
            targets.add(Target.atMost(name + "complete after, s", samples.median(seconds(which, kind)), SECONDS.get(loss)));
        }
        if (BESIDE_NORM.contains(loss) && plan.isUsual() && !which.cold() && plan.systems().contains(Kind.NORM)) {
            targets.add(Target.atMost(name + "time, of NORM's", ratio(seconds(which, kind), seconds(which, Kind.NORM)), MOST_TIME));
            targets.add(Target.atMost(name + "CPU, of NORM's", ratio(cpu(which, kind), cpu(which, Kind.NORM)), MOST_CPU));
        }
        targets.add(Target.atLeast(name + "complete and identical in the worst run, receivers", worst(which, kind), plan.expected()));
    }

    /** Of the medians; null if one is missing. */
    private Double ratio(Key ours, Key theirs) {
        Double one = samples.median(ours);
        Double other = samples.median(theirs);
        return one == null || other == null ? null : one / other;
    }

    /** Identical copies of the worst run: a receiver without the file is not made good by another run. */
    private Double worst(Case which, Kind kind) {
        List<Double> runs = samples.of(identical(which, kind));
        return runs.isEmpty() ? null : Collections.min(runs);
    }

    void print(PrintWriter out) {
        out.printf("%n%,d octets to %d receivers at %d sites, %.0f Mbit/s, 20 ms there and back; links in parts of the file.%n"
                + "Medians of the runs; in seconds, of those in which every receiver got the file. Cold: every process is started for the run.%n",
                plan.octets(), plan.expected(), plan.sites(), plan.bits() / 1e6);
        for (Case which : plan.measured()) {
            Table<Kind> table = new Table<Kind>(which.toString(), Kind::toString)
                    .text("runs", kind -> Integer.toString(samples.of(identical(which, kind)).size()))
                    .text("whole", kind -> Integer.toString(samples.of(seconds(which, kind)).size()))
                    .text("worst run", kind -> worst(which, kind) == null ? "-" : String.format("%.0f of %d", worst(which, kind), plan.expected()))
                    .median("s", "%.2f", samples, kind -> seconds(which, kind))
                    .median("source link", "%.3f", samples, kind -> sourceLink(which, kind));
            List.of("site-links-down", "site-links-up").forEach(metric -> table.median(metric, "%.3f", samples, kind -> key(which, kind, metric, "files")));
            table.median("to source", "%,.0f", samples, kind -> key(which, kind, "packets-to-source", "packets"));
            List.of("cpu", "cpu-start", "cpu-compilers", "cpu-protocol").forEach(metric -> table.median(metric, "%.1f", samples, kind -> key(which, kind, metric, "s")));
            table.print(out, plan.systems());
        }
    }
}
