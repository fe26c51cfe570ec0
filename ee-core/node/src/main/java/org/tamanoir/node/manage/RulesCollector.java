package org.tamanoir.node.manage;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.tamanoir.kernel.KernelStatistics;
import org.tamanoir.node.offload.LiveRule;
import org.tamanoir.node.offload.Offload;
import org.tamanoir.service.rule.RuleCounters;

/** What light rules have seen, in the node and in the kernel together, and what the kernel path has done. */
final class RulesCollector implements MultiCollector {
    /** A table of thousands of rules is read with {@code node rules}; a scrape takes the first. */
    private static final int MOST = 1000;

    private final Offload offload;

    RulesCollector(Offload offload) {
        this.offload = offload;
    }

    private static CounterSnapshot.Builder counter(String name, String help) {
        return CounterSnapshot.builder().name("tamanoir_" + name).help(help);
    }

    @Override
    public MetricSnapshots collect() {
        CounterSnapshot.Builder packets = counter("rule_packets", "Packets that a rule has counted.");
        CounterSnapshot.Builder octets = counter("rule_bytes", "Octets of the packets that a rule has counted.");
        CounterSnapshot.Builder colours = counter("rule_metered_packets", "Packets that the meter of a rule has given a colour.");
        CounterSnapshot.Builder dropped = counter("rule_dropped_packets", "Packets that a rule has dropped.");
        CounterSnapshot.Builder forwarded = counter("rule_forwarded_packets", "Packets that a rule has sent on.");
        List<LiveRule> rules = offload.rules().all();
        for (LiveRule rule : rules.subList(0, Math.min(MOST, rules.size()))) {
            Labels labels = Labels.of("owner", rule.owner(), "rule", rule.rule().name());
            RuleCounters counters = rule.counters();
            packets.dataPoint(point(labels, counters.packets()));
            octets.dataPoint(point(labels, counters.octets()));
            colours.dataPoint(point(labels.add("colour", "green"), counters.green()));
            colours.dataPoint(point(labels.add("colour", "yellow"), counters.yellow()));
            colours.dataPoint(point(labels.add("colour", "red"), counters.red()));
            dropped.dataPoint(point(labels, counters.dropped()));
            forwarded.dataPoint(point(labels, counters.forwarded()));
        }
        List<CounterSnapshot.Builder> all = new ArrayList<>(List.of(packets, octets, colours, dropped, forwarded));
        kernel(all);
        return new MetricSnapshots(all.stream().map(CounterSnapshot.Builder::build).toArray(CounterSnapshot[]::new));
    }

    private void kernel(List<CounterSnapshot.Builder> all) {
        CounterSnapshot.Builder done = counter("kernel_packets", "Packets that the kernel program has seen, by what became of them.");
        CounterSnapshot.Builder up = counter("kernel_up_packets", "Packets that the kernel has handed up to the node, by the reason.");
        KernelStatistics statistics = offload.kernel().statistics();
        if (statistics != null) {
            done.dataPoint(point(Labels.of("done", "forwarded"), statistics.forwarded()));
            done.dataPoint(point(Labels.of("done", "answered"), statistics.answered()));
            done.dataPoint(point(Labels.of("done", "dropped"), statistics.dropped()));
            done.dataPoint(point(Labels.of("done", "dropped-early"), statistics.earlyDropped()));
            done.dataPoint(point(Labels.of("done", "refused"), statistics.xdpDropped()));
            statistics.up().forEach((reason, count) -> up.dataPoint(point(Labels.of("reason",
                    reason.name().toLowerCase(Locale.ROOT).replace('_', '-')), count)));
        }
        CounterSnapshot.Builder connections = counter("light_connections", "Light TCP streams that went by an entry of light: connections, in the kernel and in the node.");
        CounterSnapshot.Builder bytes = counter("light_bytes", "Octets of them: of IP packets in the kernel, of the streams in the node.");
        offload.kernel().light().counters().forEach((name, counted) -> {
            connections.dataPoint(point(Labels.of("connection", name), counted.connections()));
            bytes.dataPoint(point(Labels.of("connection", name, "direction", "to"), counted.octets()));
            bytes.dataPoint(point(Labels.of("connection", name, "direction", "back"), counted.backOctets()));
        });
        all.add(connections);
        all.add(bytes);
        all.add(done);
        all.add(up);
    }

    private static CounterDataPointSnapshot point(Labels labels, long value) {
        return CounterDataPointSnapshot.builder().labels(labels).value(value).build();
    }
}
