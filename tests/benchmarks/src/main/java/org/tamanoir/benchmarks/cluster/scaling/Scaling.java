package org.tamanoir.benchmarks.cluster.scaling;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.tamanoir.benchmarks.cluster.ClusterPlan;
import org.tamanoir.benchmarks.cluster.site.ClusterSite;
import org.tamanoir.benchmarks.load.StreamKind;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.lab.LabException;

/**
 * Runs the plan: every round measures each back end alone, two of them, and all, in an order that turns. JVMs that do the same differ by what their compilers
 * made of it, and machines from one minute to the next: so what several carry is compared with what the same ones carried alone in that round.
 */
public final class Scaling extends MeasuredOutcome {
    /** Until both compilers of a JVM have done most of what they will. */
    private static final Duration WARM_UP = Duration.ofSeconds(4);
    private static final double OF_ONE = 2.7;

    /**
     * One curve of figure 10.
     *
     * @param name    of it
     * @param kind    of its streams
     * @param packet  octets, header included
     * @param cap     parts of a processor that each back end may use. So little that three of them, the director, both ends and whatever else runs leave two
     *                processors time to spare; for monitoring less, because the director in user-mode Linux has to keep up
     * @param far     whether a node behind the back ends restores what they compress
     * @param of2003  Mbit/s of three back ends in figure 10
     */
    record Case(String name, StreamKind kind, int packet, double cap, boolean far, int of2003) {
        static final List<Case> ALL = List.of(new Case("monitoring", StreamKind.MONITORING, 4096, 0.1, false, 1050),
                new Case("monitoring", StreamKind.MONITORING, 32768, 0.1, false, 1400),
                new Case("gzip", StreamKind.COMPRESSION, 32768, 0.2, true, 200));

        @Override
        public String toString() {
            return name + ", packets of " + packet / 1024 + " KB";
        }
    }

    private final ClusterPlan plan;

    Scaling(ClusterPlan plan, Consumer<String> progress) {
        super("scaling", new Measurements(progress));
        this.plan = plan;
    }

    /** @throws LabException if the cluster cannot be had, or this machine has no control groups to cap back ends (EE-504) */
    public static Outcome run(ClusterPlan plan, Consumer<String> progress) {
        Scaling scaling = new Scaling(plan, progress);
        scaling.run();
        return scaling;
    }

    private void run() {
        measured.doing("starting a director, a front-end and " + ClusterSite.BACK_ENDS + " back ends");
        try (ScalingLab lab = new ScalingLab()) {
            for (Case what : Case.ALL) {
                measured.doing("warming up: " + what);
                lab.warmUp(what, ClusterSite.BACK_ENDS * plan.streams(), WARM_UP);
                // What is compiled late is compiled slowly, under a cap.
                lab.run(what, ClusterSite.BACK_ENDS * plan.streams(), WARM_UP);
            }
            for (int round = 0; round < plan.rounds(); round++) {
                round(lab, round);
            }
        }
    }

    private void round(ScalingLab lab, int round) {
        Map<Case, Map<List<Integer>, Figures>> found = new HashMap<>();
        for (List<Integer> serving : settings(round)) {
            lab.serve(serving);
            for (Case what : Case.ALL) {
                measured.attempt("scaling, " + what + ", back ends " + serving + ", " + Measurements.name(round), () -> {
                    Figures figures = lab.run(what, serving.size() * plan.streams(), plan.run());
                    if (!figures.doubts().isEmpty()) {
                        throw new LabException(String.join("; ", figures.doubts()));
                    }
                    found.computeIfAbsent(what, unused -> new HashMap<>()).put(serving, figures);
                });
            }
        }
        found.forEach(this::add);
    }

    /** Numbers of the back ends that serve, for one run of each case. */
    private static List<List<Integer>> settings(int round) {
        List<List<Integer>> settings = new ArrayList<>();
        ClusterSite.ALL.forEach(number -> settings.add(List.of(number)));
        settings.add(IntStream.of(round, round + 1).map(i -> 1 + i % ClusterSite.BACK_ENDS).sorted().boxed().toList());
        settings.add(ClusterSite.ALL);
        Collections.rotate(settings, -round);
        return settings;
    }

    /** Takes what one round has found of one case, by the numbers of the back ends that served. */
    void add(Case what, Map<List<Integer>, Figures> found) {
        found.forEach((serving, figures) -> {
            int count = serving.size();
            add(what, count, "throughput", "Mbit/s", figures.octets() * 8 / 1e6);
            add(what, count, "per-cpu", "Mbit/s", figures.octets() * 8 / 1e6 / (count * what.cap()));
            add(what, count, "used-of-cap", "ratio", figures.meanUsed());
            add(what, count, "used-of-cap-least", "ratio", figures.leastUsed());
            add(what, count, "least-share", "of an even one", Collections.min(figures.shares()) * count);
            add(what, count, "compilers-cpu", "cpus", figures.compilers());
            add(what, count, "director-cpu", "cpus", figures.director());
            add(what, count, "ends-cpu", "cpus", figures.ends());
            add(what, count, "soft-interrupts", "cpus", figures.soft());
            add(what, count, "per-charged-cpu", "Mbit/s", figures.octets() * 8 / 1e6 / (count * what.cap() * figures.meanUsed()));
            add(what, count, "idle", "ratio", figures.idle());
            List<Figures> alone = serving.stream().map(number -> found.get(List.of(number))).filter(Objects::nonNull).toList();
            if (count > 1 && alone.size() == count) {
                add(what, count, "of-one", "ratio", figures.octets() / alone.stream().mapToDouble(Figures::octets).average().orElseThrow());
            }
        });
    }

    private void add(Case what, int count, String metric, String unit, double value) {
        measured.add(key(what, count, metric, unit), value);
    }

    private Key key(Case what, int count, String metric, String unit) {
        return new Key("scaling-" + what.name(), "back-ends-" + count, what.packet(), count * plan.streams(), metric, unit);
    }

    private Double median(Case what, int count, String metric, String unit) {
        return samples().median(key(what, count, metric, unit));
    }

    @Override
    public List<Target> targets() {
        return Case.ALL.stream().map(what -> Target.atLeast(what + ": what three back ends carry, times one",
                median(what, ClusterSite.BACK_ENDS, "of-one", "ratio"), OF_ONE)).toList();
    }

    @Override
    public void print(PrintWriter out) {
        out.printf("%nScaling: %d streams over TCP for each back end, through a director with IPVS (direct routing), medians%n", plan.streams());
        for (Case what : Case.ALL) {
            Function<Integer, String> name = count -> count + (count == 1 ? " back end" : " back ends");
            new Table<>(what + String.format(Locale.ROOT, ", %.0f %% of a CPU each", 100 * what.cap()), name)
                    .number("Mbit/s", "%.1f", count -> median(what, count, "throughput", "Mbit/s"))
                    .number("of one", "%.2f", count -> median(what, count, "of-one", "ratio"))
                    .text("of cap", count -> percent(median(what, count, "used-of-cap", "ratio")))
                    .number("per CPU", "%,.0f", count -> median(what, count, "per-charged-cpu", "Mbit/s"))
                    .number("share", "%.2f", count -> median(what, count, "least-share", "of an even one"))
                    .number("compilers", "%.2f", count -> median(what, count, "compilers-cpu", "cpus"))
                    .number("director", "%.2f", count -> median(what, count, "director-cpu", "cpus"))
                    .number("ends", "%.2f", count -> median(what, count, "ends-cpu", "cpus"))
                    .number("soft", "%.2f", count -> median(what, count, "soft-interrupts", "cpus"))
                    .text("idle", count -> percent(median(what, count, "idle", "ratio"))).print(out, ClusterSite.ALL);
            out.printf("  figure 10 (2003), 3 back ends: %d Mbit/s%n", what.of2003());
        }
        out.println();
        out.println("of one: median of the rounds' ratios to the mean of what each of these back ends carried alone. of cap: processor time of a back end, in parts of its cap. "
                + "per CPU: Mbit/s for each processor that back ends were charged with. share: what the back end got that got least, in parts of an even share. compilers: processors "
                + "that the compilers of the back ends' JVMs have used, which no cap holds (with control groups of version 2 the caps hold them, too). director, ends: processors that "
                + "the director, and sender, receiver and the node behind the back ends, have used. soft: processors of the kernel's threads for soft interrupts, which no cap holds.");
        out.println("Figure 10: back ends of two Pentium III at 1.4 GHz each, all of them theirs, machines of their own, Gigabit Ethernet; here a part of a "
                + "processor for each, and everything on one machine. Compare how it grows; of absolute figures no more than the order.");
    }

    private static String percent(Double value) {
        return Samples.text("%.0f %%", value == null ? null : 100 * value);
    }
}
