package org.tamanoir.node.manage;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.tamanoir.node.deploy.ServiceOperator;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceEvents;
import org.tamanoir.node.service.ServiceRegistry;
import org.tamanoir.node.service.ServiceStatus;
import org.tamanoir.node.service.ServiceThreads;
import org.tamanoir.node.service.WorkerCounts.Reason;

/** What the node itself counts of each service, for whichever services run when somebody scrapes. */
final class RunningServicesCollector implements MultiCollector {
    /** Publishers that are shown, those whose certificates expire soonest: whoever certifies publishers makes no number of series. */
    private static final int MOST_PUBLISHERS = 64;

    private final ServiceRegistry services;
    private final ServiceOperator operator;
    private final ServiceEvents events;

    RunningServicesCollector(ServiceRegistry services, ServiceOperator operator, ServiceEvents events) {
        this.services = services;
        this.operator = operator;
        this.events = events;
    }

    @Override
    public MetricSnapshots collect() {
        GaugeSnapshot.Builder streams = GaugeSnapshot.builder().name("tamanoir_service_streams").help("Streams that use the service now.");
        GaugeSnapshot.Builder held = GaugeSnapshot.builder().name("tamanoir_service_held_bytes").help("Octets of packets that it keeps.");
        GaugeSnapshot.Builder heap = GaugeSnapshot.builder().name("tamanoir_service_heap_bytes")
                .help("Octets of the heap that it held when it was last measured, with the heap two fifths full or fuller.");
        GaugeSnapshot.Builder threads = GaugeSnapshot.builder().name("tamanoir_service_threads").help("Threads that it has started by itself.");
        GaugeSnapshot.Builder queued = GaugeSnapshot.builder().name("tamanoir_service_queued_bytes")
                .help("Octets that wait for its threads.");
        GaugeSnapshot.Builder workers = GaugeSnapshot.builder().name("tamanoir_service_workers").help("Programs that run for it now.");
        CounterSnapshot.Builder ended = CounterSnapshot.builder().name("tamanoir_service_workers_ended").help("Programs that ran for it, by the reason for which they have ended.");
        CounterSnapshot.Builder packets = CounterSnapshot.builder().name("tamanoir_service_packets").help("Packets that it has seen.");
        CounterSnapshot.Builder errors = CounterSnapshot.builder().name("tamanoir_service_errors").help("Streams that it has failed.");
        CounterSnapshot.Builder drops = CounterSnapshot.builder().name("tamanoir_service_drops").help("Packets that it has dropped.");
        // Two instances of one version run while one of them drains: they are counted together.
        Map<List<String>, List<RunningService>> versions = services.all().stream()
                .collect(Collectors.groupingBy(service -> List.of(service.name(), service.version()), HashMap::new, Collectors.toList()));
        versions.forEach((key, instances) -> {
            Labels labels = Labels.of("service", key.get(0), "version", key.get(1));
            streams.dataPoint(gauge(labels, sum(instances, RunningService::streams)));
            held.dataPoint(gauge(labels, sum(instances, RunningService::heldBytes)));
            heap.dataPoint(gauge(labels, sum(instances, RunningService::heapBytes)));
            threads.dataPoint(gauge(labels, sum(instances, ServiceThreads::count)));
            queued.dataPoint(gauge(labels, sum(instances, RunningService::queuedBytes)));
            workers.dataPoint(gauge(labels, sum(instances, service -> service.workers().running())));
            for (Reason reason : Reason.values()) {
                long count = sum(instances, service -> service.workers().ended(reason));
                if (count > 0) {
                    ended.dataPoint(point(labels.add("reason", reason.word()), count));
                }
            }
            packets.dataPoint(point(labels, sum(instances, RunningService::packets)));
            errors.dataPoint(point(labels, sum(instances, RunningService::errors)));
            Map<String, Long> reasons = new TreeMap<>();
            instances.forEach(instance -> instance.drops().forEach((reason, count) -> reasons.merge(reason, count, Long::sum)));
            reasons.forEach((reason, count) -> drops.dataPoint(point(labels.add("reason", reason), count)));
        });
        GaugeSnapshot.Builder states = GaugeSnapshot.builder().name("tamanoir_service_state")
                .help("Versions of services by the state that they are in.");
        operator.statuses().stream().collect(Collectors.groupingBy(ServiceStatus::state, TreeMap::new, Collectors.counting()))
                .forEach((state, count) -> states.dataPoint(gauge(Labels.of("state", state), count)));
        CounterSnapshot.Builder changes = CounterSnapshot.builder().name("tamanoir_service_changes")
                .help("How often a version of a service has come into each state.");
        events.counts().forEach((state, count) -> changes.dataPoint(point(Labels.of("state", state.word()), count.sum())));
        GaugeSnapshot.Builder certificates = GaugeSnapshot.builder().name("tamanoir_publisher_certificate_expires_seconds")
                .help("When the certificate of a publisher whose services run expires, in seconds since 1970.");
        operator.certificates().entrySet().stream().sorted(Map.Entry.comparingByValue()).limit(MOST_PUBLISHERS)
                .forEach(each -> certificates.dataPoint(gauge(Labels.of("publisher", each.getKey()), each.getValue().getEpochSecond())));
        return MetricSnapshots.of(streams.build(), held.build(), heap.build(), threads.build(), queued.build(), workers.build(), ended.build(), packets.build(), errors.build(), drops.build(),
                states.build(), changes.build(), certificates.build());
    }

    private static long sum(List<RunningService> instances, ToLongFunction<RunningService> value) {
        return instances.stream().mapToLong(value).sum();
    }

    private static GaugeDataPointSnapshot gauge(Labels labels, long value) {
        return GaugeDataPointSnapshot.builder().labels(labels).value(value).build();
    }

    private static CounterDataPointSnapshot point(Labels labels, long value) {
        return CounterDataPointSnapshot.builder().labels(labels).value(value).build();
    }
}
