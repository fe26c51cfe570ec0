package org.tamanoir.benchmarks.kernel;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tamanoir.benchmarks.kernel.KernelPlan.Part;
import org.tamanoir.benchmarks.kernel.KernelPlan.Placement;
import org.tamanoir.benchmarks.kernel.KernelPlan.Way;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.plot.Chart.Axes;
import org.tamanoir.benchmarks.plot.Chart.Series;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;

/** What {@code bench kernel} has measured: the names of its figures, their ratios, what they have to reach, and how people read them. */
public final class KernelResults {
    static final String CHANGE = "rule-change";
    private static final double OF_PLAIN = 0.9;
    private static final double ONE_WAY_OF_PLAIN = 0.95;
    private static final double UDP_OF_USER_SPACE = 1.8;
    private static final double TCP_OF_USER_SPACE = 1.5;
    /** The same, as far as two runs of one thing are the same. */
    private static final double OF_TEN_RULES = 0.9;
    private static final double CHANGE_MILLIS = 5;

    /** What is measured with each length of packet. */
    enum Case {
        UDP_WINDOW("udp-32-outstanding", "udp-window", "echoes", "1/s", "UDP, 32 outstanding, echoes/s"),
        UDP_BLAST("udp-blast", "udp-blast", "received", "1/s", "UDP, blast, received/s"),
        UDP_TRIP("udp-round-trip", "udp-trip", "p50", "us", "UDP, one outstanding, one CPU"),
        TCP_STREAM("tcp-stream", "tcp-blast", "throughput", "Gbit/s", "TCP, one stream, Gbit/s"),
        TCP_TRIP("tcp-round-trip", "tcp-trip", "p50", "us", "TCP, one outstanding, one CPU"),
        RULES_WINDOW("rules-32-outstanding", "udp-window", "echoes", "1/s", "10 and 10,000 rules, echoes/s"),
        RULES_TRIP("rules-round-trip", "udp-trip", "p50", "us", "10 and 10,000 rules, one CPU");

        /** As rows name it. */
        final String name;
        /** What the load program is to do. */
        final String program;
        /** What is compared, and its unit. */
        final String metric;
        private final String unit;
        private final String title;

        Case(String name, String program, String metric, String unit, String title) {
            this.name = name;
            this.program = program;
            this.metric = metric;
            this.unit = unit;
            this.title = title;
        }

        boolean isTcp() {
            return program.startsWith("tcp");
        }

        boolean isTrip() {
            return metric.equals("p50");
        }

        private boolean byRules() {
            return name.startsWith("rules");
        }

        List<Way> ways() {
            return byRules() ? Way.BY_RULES : Way.COMPARED;
        }

        /** What the others add to. */
        private Way base() {
            return byRules() ? Way.TEN_RULES : Way.PLAIN;
        }

        /** What a table compares with, besides the plain router. */
        private Way other() {
            return byRules() ? Way.TEN_RULES : Way.USER_SPACE;
        }
    }

    /**
     * What one run has shown. NaN stands for what was not measured.
     *
     * @param value      of the metric that is compared
     * @param perCpu     the same for each second of CPU time that client, server, node and soft interrupts take together
     * @param wholeNanos CPU time of all of them for each packet
     * @param ownNanos   CPU time of the node's process for each packet
     */
    record Run(double value, double perCpu, double wholeNanos, double ownNanos) {
    }

    private final KernelPlan plan;
    private final Measurements measured;

    KernelResults(KernelPlan plan, Measurements measured) {
        this.plan = plan;
        this.measured = measured;
    }

    /** The key of a figure. @param way in its case */
    static Key key(Case what, Way way, int octets, String metric, String unit) {
        return new Key(what.name, way.toString(), octets, 1, metric, unit);
    }

    static Key ratio(Case what, Way way, int octets, String metric, Way other) {
        return key(what, way, octets, metric + "of-" + other, "ratio");
    }

    /** How long after a change of one of some rules the last packet passed by the old one, or the first by the new one. */
    static Key change(String direction, int rules, String metric, String unit) {
        return new Key(CHANGE, direction, 0, rules, metric, unit);
    }

    /** Adds the runs of one case in one round, and what they are to each other. */
    void add(Case what, int octets, Map<Way, Run> runs) {
        runs.forEach((way, run) -> {
            addKnown(key(what, way, octets, what.metric, what.unit), run.value);
            addKnown(key(what, way, octets, what.metric + "-per-cpu", what.unit), run.perCpu);
            addKnown(key(what, way, octets, "node-cpu-per-packet", "ns"), run.ownNanos);
        });
        runs.forEach((way, run) -> runs.forEach((other, otherRun) -> {
            if (way.ordinal() > other.ordinal() && other == Way.PLAIN || way == Way.KERNEL && other == Way.USER_SPACE
                    || way == Way.MANY_RULES && other == Way.TEN_RULES) {
                addKnown(ratio(what, way, octets, "", other), run.value / otherRun.value);
                addKnown(ratio(what, way, octets, "per-cpu-", other), run.perCpu / otherRun.perCpu);
                // Two processes that the kernel leaves nothing to do are idle: the ratio of what they use says nothing.
                addKnown(ratio(what, way, octets, "node-cpu-", other), other.inKernel() ? Double.NaN : run.ownNanos / otherRun.ownNanos);
            }
        }));
        Run base = runs.get(what.base());
        if (base != null) {
            runs.forEach((way, run) -> addKnown(added(what, way, octets), way == what.base() ? Double.NaN : run.wholeNanos - base.wholeNanos));
        }
    }

    private static Key added(Case what, Way way, int octets) {
        return key(what, way, octets, "added-to-" + what.base(), "ns");
    }

    private void addKnown(Key key, double value) {
        if (Double.isFinite(value)) {
            measured.add(key, value);
        }
    }

    /** Everything, and how the processes were placed. */
    public Report report() {
        measured.machine().put("placement", "round trips " + Placement.ONE + ", rates " + plan.placement());
        return measured.report(targets(measured.samples()));
    }

    private Collection<Integer> lengths(Case what) {
        return switch (what) {
            case UDP_WINDOW, UDP_BLAST, UDP_TRIP -> plan.datagrams();
            case TCP_STREAM -> plan.frames();
            case TCP_TRIP -> plan.tripFrames();
            case RULES_WINDOW, RULES_TRIP -> List.of(Collections.min(plan.datagrams()));
        };
    }

    /** What the kernel path has to reach, in one run beside the others: the targets of the parts that were run. */
    List<Target> targets(Samples samples) {
        List<Target> targets = new ArrayList<>();
        Set<Part> parts = plan.parts();
        if (parts.contains(Part.UDP)) {
            plan.datagrams().forEach(octets -> addPair(targets, samples, Case.UDP_WINDOW, "datagrams of " + octets + " octets, 32 outstanding", octets,
                    UDP_OF_USER_SPACE));
            plan.datagrams().forEach(octets -> targets.add(Target.atLeast("datagrams of " + octets + " octets, one way: kernel of plain",
                    samples.median(ratio(Case.UDP_BLAST, Way.KERNEL, octets, "", Way.PLAIN)), ONE_WAY_OF_PLAIN)));
        }
        if (parts.contains(Part.TCP)) {
            plan.frames().forEach(octets -> addPair(targets, samples, Case.TCP_STREAM, "a stream of " + octets + " octets", octets, TCP_OF_USER_SPACE));
        }
        if (parts.contains(Part.RULES)) {
            targets.add(Target.atLeast("10,000 rules: echoes of ten rules", samples.median(ratio(Case.RULES_WINDOW, Way.MANY_RULES,
                    Collections.min(plan.datagrams()), compared(), Way.TEN_RULES)), OF_TEN_RULES));
        }
        if (parts.contains(Part.CHANGE)) {
            for (int rules : RuleChange.RULES) {
                for (String direction : RuleChange.DIRECTIONS) {
                    targets.add(Target.atMost("one of " + rules + " rules " + direction + ", ms until it is in force, the longest of a round",
                            samples.median(change(direction, rules, "most", "ms")), CHANGE_MILLIS));
                }
            }
        }
        return targets;
    }

    private void addPair(List<Target> targets, Samples samples, Case what, String name, int octets, double ofUserSpace) {
        targets.add(Target.atLeast(name + ": kernel of plain", samples.median(ratio(what, Way.KERNEL, octets, compared(), Way.PLAIN)), OF_PLAIN));
        targets.add(Target.atLeast(name + ": kernel of user space", samples.median(ratio(what, Way.KERNEL, octets, compared(), Way.USER_SPACE)),
                ofUserSpace));
    }

    /** Of echoes and streams. On one CPU that is never idle, rates for each second of CPU time are those of an idle machine, whoever else uses this one. */
    private String compared() {
        return plan.placement() == Placement.ONE ? "per-cpu-" : "";
    }

    private Double median(Key key) {
        return measured.samples().median(key);
    }

    /** The figures for people. */
    public void print(PrintWriter out) {
        for (Case what : Case.values()) {
            Part part = what.byRules() ? Part.RULES : what.isTcp() ? Part.TCP : Part.UDP;
            if (plan.parts().contains(part)) {
                table(what).print(out, lengths(what).stream().flatMap(octets -> what.ways().stream().map(way -> new Line(octets, way))).toList());
            }
        }
        if (plan.parts().contains(Part.CHANGE)) {
            Samples samples = measured.samples();
            Table<Change> table = new Table<>("rule changed, ms until in force", change -> "%s, one of %,d".formatted(change.direction, change.rules));
            for (String metric : List.of("p50", "p99", "most", "call-p50")) {
                table.median(metric, "%.3f", samples, change -> change(change.direction, change.rules, metric, "ms"));
            }
            table.median("left out", "%.0f", samples, change -> change(change.direction, change.rules, "left-out", "changes"));
            table.print(out, RuleChange.RULES.stream().flatMap(rules -> RuleChange.DIRECTIONS.stream().map(direction -> new Change(direction, rules)))
                    .toList());
        }
    }

    private record Line(int octets, Way way) {
    }

    private record Change(String direction, int rules) {
    }

    private Table<Line> table(Case what) {
        Samples samples = measured.samples();
        String format = what == Case.TCP_STREAM ? "%.2f" : "%,.0f";
        String ofOther = "of " + what.other();
        Table<Line> table = new Table<>(what.title, line -> line.octets + " octets, " + line.way);
        if (what.isTrip()) {
            table.median("p50, us", "%.1f", samples, line -> key(what, line.way, line.octets, "p50", "us"))
                    .median("p99, us", "%.1f", samples, line -> key(what, line.way, line.octets, "p99", "us"));
        } else {
            table.median("rate", format, samples, line -> key(what, line.way, line.octets, what.metric, what.unit));
        }
        ratios(table, what, "", ofOther);
        if (!what.isTrip()) {
            table.median("per CPU s", format, samples, line -> key(what, line.way, line.octets, what.metric + "-per-cpu", what.unit));
            ratios(table, what, "per-cpu-", ofOther);
            table.median("adds, ns", "%,.0f", samples, line -> added(what, line.way, line.octets))
                    .median("node CPU, ns", "%,.0f", samples, line -> key(what, line.way, line.octets, "node-cpu-per-packet", "ns"));
            if (!what.byRules()) {
                table.median(ofOther, "%.2f", samples, line -> ratio(what, line.way, line.octets, "node-cpu-", what.other()));
            }
            table.median("node CPU", "%.2f", samples, line -> key(what, line.way, line.octets, "node-cpu", "s/s"))
                    .median("lost", "%.4f", samples, line -> key(what, line.way, line.octets, "lost", "ratio"));
        }
        return table;
    }

    private void ratios(Table<Line> table, Case what, String metric, String ofOther) {
        if (!what.byRules()) {
            table.median("of plain", "%.2f", measured.samples(), line -> ratio(what, line.way, line.octets, metric, Way.PLAIN));
        }
        table.median(ofOther, "%.2f", measured.samples(), line -> ratio(what, line.way, line.octets, metric, what.other()));
    }

    /**
     * Figure 8 of "Designing and Evaluating An Active Grid Architecture" (2003) with the figures of one run: the time of an ANEP packet on TCP
     * from sender to receiver against its length, through the kernel and through the JVM. A time is half the median round trip. Needs the part
     * {@link Part#TCP}.
     */
    public Chart latencies() {
        Chart chart = new Chart("Figure 8: latency of an ANEP packet on TCP against its length", "octets of the packet, header included",
                "µs, half the median round trip", Axes.LOGARITHMIC, List.of("All on one CPU. 2003 (two Pentium III, Gigabit Ethernet, Linux 2.4.18): the kernel's curve",
                        "is flat at a few microseconds, the JVMs' rise with the payload to several milliseconds."));
        addTrips(chart.line("no node: a plain router", "#777777", false), Way.PLAIN);
        addTrips(chart.line("node, in the kernel", "#0b6e4f", false), Way.KERNEL);
        addTrips(chart.line("node, in the JVM", "#c8553d", false), Way.USER_SPACE);
        return chart;
    }

    private void addTrips(Series line, Way way) {
        for (int octets : plan.tripFrames()) {
            Double p50 = median(key(Case.TCP_TRIP, way, octets, "p50", "us"));
            if (p50 != null) {
                line.add(octets, p50 / 2);
            }
        }
    }
}
