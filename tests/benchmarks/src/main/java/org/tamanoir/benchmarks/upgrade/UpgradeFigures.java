package org.tamanoir.benchmarks.upgrade;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.benchmarks.soak.Balance;
import org.tamanoir.benchmarks.soak.Delays;
import org.tamanoir.benchmarks.upgrade.UpgradePlan.Part;
import org.tamanoir.benchmarks.upgrade.Upgrader.Upgrade;

/** Makes figures of what a run has found, holds them against what was asked for, and prints them. */
final class UpgradeFigures {
    /** All parts with upgrades. */
    static final String ALL = "all-upgrades";
    /** Of each part; the row is their median. */
    static final String DELAY = "delay";
    /** Of all packets of the parts of a group together. */
    static final String TOGETHER = "delay-together";
    /** The same of the first packets of streams. */
    static final String OPENING = "opening-together";
    /** A part with upgrades less the quiet one beside it; the row is the median of the pairs. */
    static final String ADDED = "added-delay";
    private static final Map<String, Double> PERCENTILES = new LinkedHashMap<>();
    private static final Map<String, String> PARTS_AND_TITLES = new LinkedHashMap<>();
    /** The parts with upgrades. */
    private static final List<Part> BUSY = Arrays.stream(Part.values()).filter(part -> part != Part.QUIET).toList();

    static {
        PARTS_AND_TITLES.put(DELAY, ", median of the parts");
        PARTS_AND_TITLES.put(TOGETHER, ", all packets together");
        PARTS_AND_TITLES.put(OPENING, ", first packets of streams");
        PARTS_AND_TITLES.put(ADDED, ", added: median of the pairs");
        PERCENTILES.put("p50", 50.0);
        PERCENTILES.put("p99", 99.0);
        PERCENTILES.put("p99.9", 99.9);
        PERCENTILES.put("max", 100.0);
    }

    /**
     * Asked of the median of all pairs, and of each kind of part on its own, so that what a fault costs is not outvoted by parts without one. The
     * worst pair is printed, and has no bound: the p99.9 of two quiet parts can differ by more than the bound on a machine that others use too.
     */
    private static final double MAX_ADDED_MILLIS = 20;
    private static final double NANOS = 1e6;

    private final UpgradePlan plan;
    private final UpgradeRun.Result result;
    private final Samples samples;
    private final Balance tcp;
    private final Balance udp;

    UpgradeFigures(UpgradePlan plan, UpgradeRun.Result result, Samples samples) {
        this.samples = samples;
        this.plan = plan;
        this.result = result;
        this.tcp = Balance.of(result.sent().streams(), result.received().streams(), false);
        this.udp = Balance.of(result.sent().streams(), result.received().streams(), true);
        delays();
        balance("tcp", tcp);
        balance("udp", udp);
        upgrades();
    }

    private void delays() {
        Map<Integer, Delays.Part> parts = new HashMap<>();
        result.received().delays().forEach(part -> parts.put(part.mark() - 1, part));
        for (Part group : Part.values()) {
            Histogram all = Delays.empty();
            Histogram opening = Delays.empty();
            for (int i = 0; i < UpgradePlan.PARTS.size(); i++) {
                if (UpgradePlan.PARTS.get(i) == group && parts.containsKey(i)) {
                    percentiles(DELAY, group.toString(), parts.get(i).allDelays());
                    all.add(parts.get(i).allDelays());
                    opening.add(parts.get(i).openingDelays());
                    added(group.toString(), parts.get(i), parts.get(UpgradePlan.quietBeside(i)));
                }
            }
            percentiles(TOGETHER, group.toString(), all);
            percentiles(OPENING, group.toString(), opening);
        }
        percentiles("lateness", "source", result.sent().lateness());
    }

    private void added(String group, Delays.Part busy, Delays.Part quiet) {
        if (quiet != null && quiet != busy) {
            PERCENTILES.forEach((name, percentile) -> {
                double added = (busy.allDelays().getValueAtPercentile(percentile) - quiet.allDelays().getValueAtPercentile(percentile)) / NANOS;
                add(ADDED, group, name, "ms", added);
                add(ADDED, ALL, name, "ms", added);
            });
        }
    }

    private void percentiles(String what, String group, Histogram delays) {
        if (delays.getTotalCount() > 0) {
            PERCENTILES.forEach((name, percentile) -> add(what, group, name, "ms", delays.getValueAtPercentile(percentile) / NANOS));
        }
    }

    private void balance(String transport, Balance balance) {
        add("packets", transport, "sent", "packets", balance.sent());
        add("packets", transport, "lost", "packets", balance.lost());
        add("packets", transport, "duplicated", "packets", balance.duplicated());
        add("packets", transport, "out-of-order", "packets", balance.outOfOrder());
        add("packets", transport, "damaged", "packets", balance.damaged());
        add("packets", transport, "unserved", "packets", balance.unserved());
        add("streams", transport, "opened", "streams", balance.streams());
        add("streams", transport, "lasting", "streams", balance.lasting());
        add("streams", transport, "broken", "streams", balance.broken());
        add("streams", transport, "changed-version", "streams", balance.changed());
        add("streams", transport, "versions-met", "versions", balance.versions());
    }

    private void upgrades() {
        for (String node : List.of("first", "last")) {
            List<Upgrade> of = result.upgrades().stream().filter(upgrade -> upgrade.node().equals(node)).toList();
            add("upgrade", node, "done", "upgrades", of.stream().filter(upgrade -> !upgrade.hasFailed()).count());
            add("upgrade", node, "failed", "upgrades", of.stream().filter(Upgrade::hasFailed).count());
            Map<String, Integer> sources = new TreeMap<>();
            of.stream().map(Upgrade::source).filter(Objects::nonNull).forEach(source -> sources.merge(source, 1, Integer::sum));
            sources.forEach((source, count) -> add("upgrade", node, "from-" + source, "upgrades", count));
            of.stream().filter(upgrade -> !upgrade.hasFailed()).forEach(upgrade -> add("upgrade", node, "time", "ms", upgrade.millis()));
        }
        add("upgrade", "first", "versions-left", "versions", result.versions());
    }

    private void add(String what, String system, String metric, String unit, double value) {
        samples.add(key(what, system, metric, unit), value);
    }

    /** The key of a figure of this run. */
    Key key(String what, String system, String metric, String unit) {
        return new Key(what, system, plan.load().packet(), plan.load().tcpStreams() + plan.load().udpStreams(), metric, unit);
    }

    List<Target> targets() {
        double failed = result.upgrades().stream().filter(Upgrade::hasFailed).count();
        List<Target> targets = new ArrayList<>(List.of(
                Target.atMost("packets lost", counted((double) tcp.lost() + udp.lost()), 0),
                Target.atMost("packets duplicated, damaged, or of TCP out of order",
                        counted((double) tcp.duplicated() + udp.duplicated() + tcp.damaged() + udp.damaged() + tcp.outOfOrder()), 0),
                Target.atMost("packets that the service did not see on both nodes", counted((double) tcp.unserved() + udp.unserved()), 0),
                Target.atMost("streams broken", counted((double) tcp.broken() + udp.broken()), 0),
                Target.atMost("streams that did not stay on one version", counted((double) tcp.changed() + udp.changed()), 0),
                Target.atMost("upgrades failed", failed, 0),
                Target.atLeast("upgrades done", result.upgrades().size() - failed, plan.upgrades()),
                Target.atMost("p99.9 of the delay added, median of the pairs, ms", added(ALL, UpgradePlan.PARTS.size() / 2), MAX_ADDED_MILLIS)));
        for (Part part : BUSY) {
            targets.add(Target.atMost("p99.9 of the delay added, " + part + ", ms",
                    added(part.toString(), Collections.frequency(UpgradePlan.PARTS, part)), MAX_ADDED_MILLIS));
        }
        return targets;
    }

    /** Null if nothing was sent: then nothing was measured. */
    private Double counted(double value) {
        return tcp.sent() + udp.sent() == 0 ? null : value;
    }

    /** The median of the p99.9 added; null if a pair has none. */
    private Double added(String group, int pairs) {
        Key key = key(ADDED, group, "p99.9", "ms");
        return samples.of(key).size() < pairs ? null : samples.median(key);
    }

    /** The figures for people. */
    void print(PrintWriter out) {
        Table<Line> delays = new Table<>("one-way delay, ms", Line::title);
        PERCENTILES.keySet().forEach(name -> delays.number(name, "%.2f", line -> line.value(samples.of(key(line.what, line.group, name, "ms")))));
        List<Line> lines = new ArrayList<>();
        PARTS_AND_TITLES.forEach((what, title) -> {
            for (Part part : what.equals(ADDED) ? BUSY : List.of(Part.values())) {
                lines.add(new Line(part + title, what, part.toString(), false));
            }
        });
        lines.add(new Line("added: all of them, median of the pairs", ADDED, ALL, false));
        lines.add(new Line("added: all of them, worst pair", ADDED, ALL, true));
        lines.add(new Line("source later than it meant to be", "lateness", "source", false));
        delays.print(out, lines);
        Table.printCases(out, samples.rows().stream().filter(row -> !row.unit().equals("ms") || row.benchCase().equals("upgrade")).toList());
    }

    /** A line of the table of delays. @param worst of the parts, in place of their median */
    private record Line(String title, String what, String group, boolean worst) {
        Double value(List<Double> of) {
            return of.isEmpty() ? null : worst ? Collections.max(of) : (Double) Samples.median(of);
        }
    }

    /** Why streams broke and upgrades failed, a few of each. */
    List<String> failures() {
        List<String> failures = new ArrayList<>(tcp.reasons());
        failures.addAll(udp.reasons());
        result.upgrades().stream().filter(Upgrade::hasFailed).limit(5).forEach(upgrade ->
                failures.add("upgrade of the " + upgrade.node() + " node to " + upgrade.version() + ": " + upgrade.failure()));
        return failures;
    }
}
