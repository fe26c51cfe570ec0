package org.tamanoir.node.manage;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceRegistry;

/** What the node itself counts of each service, for whichever services run when somebody scrapes. */
final class RunningServicesCollector implements MultiCollector {
    private final ServiceRegistry services;

    RunningServicesCollector(ServiceRegistry services) {
        this.services = services;
    }

    @Override
    public MetricSnapshots collect() {
        GaugeSnapshot.Builder streams = GaugeSnapshot.builder().name("tamanoir_service_streams").help("Streams that use the service now.");
        CounterSnapshot.Builder packets = CounterSnapshot.builder().name("tamanoir_service_packets").help("Packets that it has seen.");
        CounterSnapshot.Builder errors = CounterSnapshot.builder().name("tamanoir_service_errors").help("Streams that it has failed.");
        CounterSnapshot.Builder drops = CounterSnapshot.builder().name("tamanoir_service_drops").help("Packets that it has dropped.");
        for (RunningService service : services.all()) {
            Labels labels = Labels.of("service", service.name(), "version", service.version());
            streams.dataPoint(GaugeDataPointSnapshot.builder().labels(labels).value(service.streams()).build());
            packets.dataPoint(point(labels, service.packets()));
            errors.dataPoint(point(labels, service.errors()));
            service.drops().forEach((reason, count) -> drops.dataPoint(point(labels.add("reason", reason), count)));
        }
        return MetricSnapshots.of(streams.build(), packets.build(), errors.build(), drops.build());
    }

    private static CounterDataPointSnapshot point(Labels labels, long value) {
        return CounterDataPointSnapshot.builder().labels(labels).value(value).build();
    }
}
