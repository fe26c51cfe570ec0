package org.tamanoir.benchmarks.upgrade;

import static java.util.Map.entry;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.benchmarks.soak.Balance;
import org.tamanoir.benchmarks.soak.Books;
import org.tamanoir.benchmarks.upgrade.Testbed.Upgrade;
import org.tamanoir.benchmarks.upgrade.UpgradePlan.Part;

/** Makes figures of what a run has found, holds them against what was asked for, and prints them. */
final class UpgradeFigures {
    /** All parts with upgrades. */
    static final String ALL = "all-upgrades";
    /** A part with upgrades less the quiet one beside it; the row is the median of the pairs. */
    static final String ADDED = "added-delay";
    /** Of each part, of all packets of the parts of a group together, and of the first packets of streams alone. */
    private static final List<Entry<String, String>> TITLES = List.of(entry("delay", ", median of the parts"),
            entry("delay-together", ", all packets together"), entry("opening-together", ", first packets of streams"),
            entry(ADDED, ", added: median of the pairs"));
    private static final List<Entry<String, Double>> PERCENTILES = List.of(entry("p50", 50.0), entry("p99", 99.0), entry("p99.9", 99.9),
            entry("max", 100.0));
    /** The parts with upgrades. */
    private static final List<Part> BUSY = Arrays.stream(Part.values()).filter(part -> part != Part.QUIET).toList();

    /**
     * Asked of the median of all pairs, and of each kind of part on its own, so that what a fault costs is not outvoted by parts without one. The
     * worst pair is printed, and has no bound: the p99.9 of two quiet parts can differ by more than the bound on a machine that others use too.
     */
    private static final double MAX_ADDED_MILLIS = 20;
    private static final double NANOS = 1e6;

    private final UpgradePlan plan;
    private final UpgradeBench.Result result;
    private final Samples samples;
    private final Balance tcp;
    private final Balance udp;

    UpgradeFigures(UpgradePlan plan, UpgradeBench.Result result, Samples samples) {
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
        Map<Integer, Books.Part> parts = new HashMap<>();
        result.received().delays().forEach(part -> parts.put(part.mark() - 1, part));
        for (Part group : Part.values()) {
            Histogram all = Books.delays();
            Histogram opening = Books.delays();
            for (int i = 0; i < UpgradePlan.PARTS.size(); i++) {
                if (UpgradePlan.PARTS.get(i) == group && parts.containsKey(i)) {
                    percentiles("delay", group.toString(), parts.get(i).all());
                    all.add(parts.get(i).all());
                    opening.add(parts.get(i).opening());
                    added(group.toString(), parts.get(i), parts.get(UpgradePlan.quietBeside(i)));
                }
            }
            percentiles("delay-together", group.toString(), all);
            percentiles("opening-together", group.toString(), opening);
        }
        percentiles("lateness", "source", result.sent().late());
    }

    private void added(String group, Books.Part busy, Books.Part quiet) {
        if (quiet != null && quiet != busy) {
            PERCENTILES.forEach(each -> {
                double added = (busy.all().getValueAtPercentile(each.getValue()) - quiet.all().getValueAtPercentile(each.getValue())) / NANOS;
                add(ADDED, group, each.getKey(), "ms", added);
                add(ADDED, ALL, each.getKey(), "ms", added);
            });
        }
    }

    private void percentiles(String what, String group, Histogram delays) {
        if (delays.getTotalCount() > 0) {
            PERCENTILES.forEach(each -> add(what, group, each.getKey(), "ms", delays.getValueAtPercentile(each.getValue()) / NANOS));
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
            List<Upgrade> done = of.stream().filter(upgrade -> !upgrade.hasFailed()).toList();
            add("upgrade", node, "done", "upgrades", done.size());
            add("upgrade", node, "failed", "upgrades", of.size() - done.size());
            Map<String, Integer> sources = new TreeMap<>();
            of.stream().map(Upgrade::source).filter(Objects::nonNull).forEach(source -> sources.merge(source, 1, Integer::sum));
            sources.forEach((source, count) -> add("upgrade", node, "from-" + source, "upgrades", count));
            done.forEach(upgrade -> add("upgrade", node, "time", "ms", upgrade.millis()));
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
                Target.atMost("packets lost", both(Balance::lost), 0),
                Target.atMost("packets duplicated, damaged, or of TCP out of order",
                        both(each -> each.duplicated() + each.damaged() + (each == tcp ? each.outOfOrder() : 0)), 0),
                Target.atMost("packets that the service did not see on both nodes", both(Balance::unserved), 0),
                Target.atMost("streams broken", both(Balance::broken), 0),
                Target.atMost("streams that did not stay on one version", both(Balance::changed), 0),
                Target.atMost("upgrades failed", failed, 0),
                Target.atLeast("upgrades done", result.upgrades().size() - failed, plan.upgrades()),
                Target.atMost("p99.9 of the delay added, median of the pairs, ms", added(ALL, UpgradePlan.PARTS.size() / 2), MAX_ADDED_MILLIS)));
        for (Part part : BUSY) {
            targets.add(Target.atMost("p99.9 of the delay added, " + part + ", ms",
                    added(part.toString(), Collections.frequency(UpgradePlan.PARTS, part)), MAX_ADDED_MILLIS));
        }
        return targets;
    }

    /** Of both transports; null if nothing was sent: then nothing was measured. */
    private Double both(ToLongFunction<Balance> count) {
        return tcp.sent() + udp.sent() == 0 ? null : (double) (count.applyAsLong(tcp) + count.applyAsLong(udp));
    }

    /** The median of the p99.9 added; null if a pair has none. */
    private Double added(String group, int pairs) {
        Key key = key(ADDED, group, "p99.9", "ms");
        return samples.of(key).size() < pairs ? null : samples.median(key);
    }

    /** The figures for people. */
    void print(PrintWriter out) {
        Table<Line> delays = new Table<>("one-way delay, ms", Line::title);
        PERCENTILES.forEach(each -> delays.number(each.getKey(), "%.2f",
                line -> line.value(samples.of(key(line.what, line.group, each.getKey(), "ms")))));
        List<Line> lines = new ArrayList<>();
        for (Entry<String, String> title : TITLES) {
            for (Part part : title.getKey().equals(ADDED) ? BUSY : List.of(Part.values())) {
                lines.add(new Line(part + title.getValue(), title.getKey(), part.toString(), false));
            }
        }
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
        return Stream.of(tcp.reasons().stream(), udp.reasons().stream(), result.upgrades().stream().filter(Upgrade::hasFailed).limit(5)
                .map(upgrade -> "upgrade of the " + upgrade.node() + " node to " + upgrade.version() + ": " + upgrade.failure()))
                .flatMap(each -> each).toList();
    }
}
