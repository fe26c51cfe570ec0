package org.tamanoir.benchmarks.cluster.scaling;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.tamanoir.benchmarks.cluster.ClusterPlan;
import org.tamanoir.benchmarks.cluster.site.ClusterSite;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Target;

/** The figures of all rounds. */
final class ScalingOutcome implements Outcome {
    private static final double OF_ONE = 2.7;

    private final ClusterPlan plan;
    private final Samples samples = new Samples();
    private final List<String> failures = new ArrayList<>();

    ScalingOutcome(ClusterPlan plan) {
        this.plan = plan;
    }

    /** Takes what one round has found of one case, by the numbers of the back ends that served. */
    void add(ScalingCase what, Map<List<Integer>, Figures> found) {
        found.forEach((serving, figures) -> {
            int count = serving.size();
            add(what, count, "throughput", "Mbit/s", figures.megabits());
            add(what, count, "per-cpu", "Mbit/s", figures.megabits() / (count * what.cap()));
            add(what, count, "used-of-cap", "ratio", figures.used().stream().mapToDouble(Double::doubleValue).average().orElseThrow());
            add(what, count, "used-of-cap-least", "ratio", figures.leastUsed());
            add(what, count, "least-share", "of an even one", figures.leastShare());
            add(what, count, "director-cpu", "cpus", figures.director());
            add(what, count, "ends-cpu", "cpus", figures.ends());
            add(what, count, "soft-interrupts", "cpus", figures.soft());
            add(what, count, "per-charged-cpu", "Mbit/s", figures.octetsPerCharged(what.cap()) * 8 / 1e6);
            add(what, count, "idle", "ratio", figures.idle());
            List<Figures> alone = serving.stream().map(number -> found.get(List.of(number))).filter(Objects::nonNull).toList();
            if (count > 1 && alone.size() == count) {
                add(what, count, "of-one", "ratio", figures.octets() / alone.stream().mapToDouble(Figures::octets).average().orElseThrow());
            }
        });
    }

    void failed(String why) {
        failures.add("scaling, " + why);
    }

    private void add(ScalingCase what, int count, String metric, String unit, double value) {
        samples.add(key(what, count, metric, unit), value);
    }

    private Key key(ScalingCase what, int count, String metric, String unit) {
        return new Key("scaling-" + what.name(), "back-ends-" + count, what.packet(), count * plan.streams(), metric, unit);
    }

    private Double median(ScalingCase what, int count, String metric, String unit) {
        return samples.median(key(what, count, metric, unit));
    }

    @Override
    public List<Row> rows() {
        return samples.rows();
    }

    @Override
    public List<Target> targets() {
        return ScalingCase.ALL.stream().map(what -> Target.atLeast(what + ": what three back ends carry, times one",
                median(what, ClusterSite.BACK_ENDS, "of-one", "ratio"), OF_ONE)).toList();
    }

    @Override
    public List<String> failures() {
        return List.copyOf(failures);
    }

    @Override
    public void print(PrintWriter out) {
        out.printf("%nScaling: %d streams over TCP for each back end, through a director with IPVS (direct routing), medians%n", plan.streams());
        for (ScalingCase what : ScalingCase.ALL) {
            out.printf(Locale.ROOT, "%n%-44s %9s %7s %8s %9s %8s %9s %6s %6s %6s%n", what + String.format(Locale.ROOT, ", %.0f %% of a CPU each", 100 * what.cap()), "Mbit/s",
                    "of one", "of cap", "per CPU", "share", "director", "ends", "soft", "idle");
            for (int count = 1; count <= ClusterSite.BACK_ENDS; count++) {
                out.printf(Locale.ROOT, "  %-42s %9s %7s %8s %9s %8s %9s %6s %6s %6s%n", count + (count == 1 ? " back end" : " back ends"),
                        Samples.text("%.1f", median(what, count, "throughput", "Mbit/s")), Samples.text("%.2f", median(what, count, "of-one", "ratio")),
                        percent(median(what, count, "used-of-cap", "ratio")), Samples.text("%,.0f", median(what, count, "per-charged-cpu", "Mbit/s")),
                        Samples.text("%.2f", median(what, count, "least-share", "of an even one")),
                        Samples.text("%.2f", median(what, count, "director-cpu", "cpus")), Samples.text("%.2f", median(what, count, "ends-cpu", "cpus")),
                        Samples.text("%.2f", median(what, count, "soft-interrupts", "cpus")), percent(median(what, count, "idle", "ratio")));
            }
            out.printf(Locale.ROOT, "  %-42s %9d%n", "figure 10 (2003), 3 back ends", what.of2003());
        }
        out.println();
        out.println("of one: median of the rounds' ratios to the mean of what each of these back ends carried alone. of cap: processor time of a back end, in parts of its cap. share: what the back end got that got "
                + "least, in parts of an even share. director, ends: processors that the director, and sender, receiver and the node behind the back ends, have used. per CPU: Mbit/s for each processor that back ends were charged with. soft: processors of the kernel's threads for soft "
                + "interrupts, which no cap holds.");
        out.println("Figure 10: back ends of two Pentium III at 1.4 GHz each, all of them theirs, machines of their own, Gigabit Ethernet; here a part of a "
                + "processor for each, and everything on one machine. Compare how it grows; of absolute figures no more than the order.");
    }

    private static String percent(Double value) {
        return value == null ? "-" : String.format(Locale.ROOT, "%.0f %%", 100 * value);
    }
}
