package org.tamanoir.node.manage;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.tamanoir.node.manage.ServiceMetrics.Points;

/** What services count, one metric a name however many versions run beside each other; a version's part goes when the version goes. */
final class ServicesCollector implements MultiCollector {
    private final List<ServiceMetrics> services = new CopyOnWriteArrayList<>();
    private final AtomicLong instances = new AtomicLong();

    ServiceMetrics open(String service, String version) {
        ServiceMetrics metrics = new ServiceMetrics(service, version, instances.incrementAndGet());
        services.add(metrics);
        return metrics;
    }

    void close(ServiceMetrics metrics) {
        services.remove(metrics);
    }

    @Override
    public MetricSnapshots collect() {
        Map<String, List<Points>> byName = new TreeMap<>();
        for (ServiceMetrics service : services) {
            service.read().forEach(metric -> byName.computeIfAbsent(metric.name(), unused -> new ArrayList<>()).add(metric));
        }
        MetricSnapshots.Builder all = MetricSnapshots.builder();
        byName.values().forEach(metrics -> all.metricSnapshot(joined(metrics)));
        return all.build();
    }

    /** Versions that disagree about the kind of a metric: the first one counts, and the others are left out. */
    private static MetricSnapshot joined(List<Points> metrics) {
        Points first = metrics.get(0);
        String name = first.name();
        String help = first.help();
        List<DataPointSnapshot> points = metrics.stream().filter(metric -> metric.kind() == first.kind()).flatMap(metric -> metric.points().stream()).toList();
        return switch (first.kind()) {
            case COUNTER -> {
                CounterSnapshot.Builder counter = CounterSnapshot.builder().name(name).help(help);
                points.forEach(point -> counter.dataPoint((CounterSnapshot.CounterDataPointSnapshot) point));
                yield counter.build();
            }
            case GAUGE -> {
                GaugeSnapshot.Builder gauge = GaugeSnapshot.builder().name(name).help(help);
                points.forEach(point -> gauge.dataPoint((GaugeSnapshot.GaugeDataPointSnapshot) point));
                yield gauge.build();
            }
            case HISTOGRAM -> {
                HistogramSnapshot.Builder histogram = HistogramSnapshot.builder().name(name).help(help);
                points.forEach(point -> histogram.dataPoint((HistogramSnapshot.HistogramDataPointSnapshot) point));
                yield histogram.build();
            }
        };
    }
}
