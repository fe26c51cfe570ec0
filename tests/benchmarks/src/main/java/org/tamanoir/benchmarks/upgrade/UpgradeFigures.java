package org.tamanoir.benchmarks.upgrade;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.benchmarks.soak.Balance;
import org.tamanoir.benchmarks.soak.Delays;

/** Makes figures of what a run has found, and holds them against what was asked for. */
final class UpgradeFigures {
    /** What parts belong to, in the order of printing. */
    static final List<String> GROUPS = Arrays.stream(Part.values()).map(Part::group).distinct().toList();
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
    static final Map<String, Double> PERCENTILES = new LinkedHashMap<>();

    static {
        PERCENTILES.put("p50", 50.0);
        PERCENTILES.put("p99", 99.0);
        PERCENTILES.put("p99.9", 99.9);
        PERCENTILES.put("max", 100.0);
    }

    private static final double MAX_ADDED_MILLIS = 20;
    private static final double NANOS = 1e6;

    private final UpgradePlan plan;
    private final UpgradeRun.Result result;
    private final Samples samples = new Samples();
    private final Balance tcp;
    private final Balance udp;

    UpgradeFigures(UpgradePlan plan, UpgradeRun.Result result) {
        this.plan = plan;
        this.result = result;
        this.tcp = Balance.of(result.sent().streams(), result.received().streams(), false);
        this.udp = Balance.of(result.sent().streams(), result.received().streams(), true);
        delays();
        balance("tcp", tcp);
        balance("udp", udp);
        upgrades();
    }

    Samples samples() {
        return samples;
    }

    private void delays() {
        Map<Integer, Delays.Part> parts = new HashMap<>();
        result.received().delays().forEach(part -> parts.put(part.mark() - 1, part));
        for (String group : GROUPS) {
            Histogram all = Delays.empty();
            Histogram opening = Delays.empty();
            for (int i = 0; i < UpgradePlan.PARTS.size(); i++) {
                if (UpgradePlan.PARTS.get(i).group().equals(group) && parts.containsKey(i)) {
                    percentiles(DELAY, group, parts.get(i).allDelays());
                    all.add(parts.get(i).allDelays());
                    opening.add(parts.get(i).openingDelays());
                    added(group, parts.get(i), parts.get(UpgradePlan.quietBeside(i)));
                }
            }
            percentiles(TOGETHER, group, all);
            percentiles(OPENING, group, opening);
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
        PERCENTILES.forEach((name, percentile) -> add(what, group, name, "ms", delays.getValueAtPercentile(percentile) / NANOS));
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
            add("upgrade", node, "done", "upgrades", of.stream().filter(upgrade -> upgrade.failure() == null).count());
            add("upgrade", node, "failed", "upgrades", of.stream().filter(upgrade -> upgrade.failure() != null).count());
            Map<String, Integer> sources = new TreeMap<>();
            of.stream().map(Upgrade::source).filter(Objects::nonNull).forEach(source -> sources.merge(source, 1, Integer::sum));
            sources.forEach((source, count) -> add("upgrade", node, "from-" + source, "upgrades", count));
            of.stream().filter(upgrade -> upgrade.failure() == null).forEach(upgrade -> add("upgrade", node, "time", "ms", upgrade.millis()));
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
        double failed = result.upgrades().stream().filter(upgrade -> upgrade.failure() != null).count();
        return List.of(
                Target.atMost("packets lost", (double) tcp.lost() + udp.lost(), 0),
                Target.atMost("packets duplicated, damaged, or of TCP out of order",
                        (double) tcp.duplicated() + udp.duplicated() + tcp.damaged() + udp.damaged() + tcp.outOfOrder(), 0),
                Target.atMost("packets that the service did not see on both nodes", (double) tcp.unserved() + udp.unserved(), 0),
                Target.atMost("streams broken", (double) tcp.broken() + udp.broken(), 0),
                Target.atMost("streams that did not stay on one version", (double) tcp.changed() + udp.changed(), 0),
                Target.atMost("upgrades failed", failed, 0),
                Target.atLeast("upgrades done", result.upgrades().size() - failed, plan.upgrades()),
                Target.atMost("p99.9 of the delay added, median of the pairs, ms", samples.median(key(ADDED, ALL, "p99.9", "ms")),
                        MAX_ADDED_MILLIS));
    }

    /** Why streams broke and upgrades failed, a few of each. */
    List<String> failures() {
        List<String> failures = new ArrayList<>(tcp.reasons());
        failures.addAll(udp.reasons());
        result.upgrades().stream().filter(upgrade -> upgrade.failure() != null).limit(5).forEach(upgrade ->
                failures.add("upgrade of the " + upgrade.node() + " node to " + upgrade.version() + ": " + upgrade.failure()));
        return failures;
    }
}
