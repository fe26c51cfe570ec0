package org.tamanoir.node.manage;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import org.tamanoir.node.cluster.ClusterMember;
import org.tamanoir.node.cluster.MemberStatus;
import org.tamanoir.node.cluster.MemberStatus.FrontendStatus;

/** How a node is as a back end; nothing of one that is in no cluster. */
final class ClusterCollector implements MultiCollector {
    private static final double MILLIS_A_SECOND = 1000;

    private final ClusterMember cluster;

    ClusterCollector(ClusterMember cluster) {
        this.cluster = cluster;
    }

    @Override
    public MetricSnapshots collect() {
        MemberStatus status = cluster.status();
        if (status == null) {
            return new MetricSnapshots();
        }
        GaugeSnapshot.Builder in = GaugeSnapshot.builder().name("tamanoir_cluster_in").help("1 if a front-end sends streams here, otherwise 0.");
        CounterSnapshot.Builder taken = CounterSnapshot.builder().name("tamanoir_cluster_reports").help("Reports that a front-end has taken.");
        CounterSnapshot.Builder failed = CounterSnapshot.builder().name("tamanoir_cluster_reports_failed").help("Reports that a front-end has not taken.");
        for (FrontendStatus each : status.frontends()) {
            Labels labels = Labels.of("frontend", each.url());
            in.dataPoint(point(labels, each.standing().equals("in") ? 1 : 0));
            taken.dataPoint(CounterDataPointSnapshot.builder().labels(labels).value(each.reports()).build());
            failed.dataPoint(CounterDataPointSnapshot.builder().labels(labels).value(each.failed()).build());
        }
        return new MetricSnapshots(in.build(), taken.build(), failed.build(),
                gauge("tamanoir_cluster_problems", "What is wrong with this machine as a back end.", status.problems().size()),
                gauge("tamanoir_cluster_lag_seconds", "How late event loops have run what was due, the largest of the last second.", status.load().lagMillis() / MILLIS_A_SECOND),
                gauge("tamanoir_cluster_queued_bytes", "Octets that wait for services and receivers.", status.load().queuedOctets()),
                gauge("tamanoir_cluster_cpu_ratio", "Of the processor time that the process may use, what it has used in the last second.", status.load().cpu()));
    }

    private static GaugeSnapshot gauge(String name, String help, double value) {
        return GaugeSnapshot.builder().name(name).help(help).dataPoint(point(Labels.EMPTY, value)).build();
    }

    private static GaugeDataPointSnapshot point(Labels labels, double value) {
        return GaugeDataPointSnapshot.builder().labels(labels).value(value).build();
    }
}
