package org.tamanoir.node.manage;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.concurrent.atomic.LongAdder;
import org.tamanoir.node.fleet.FleetAgent;
import org.tamanoir.node.fleet.FleetView;

/** How a node stands with its fleet; nothing of one that is in none. */
final class FleetCollector implements MultiCollector {
    private static final double MILLIS = 1000;

    private final FleetAgent agent;

    FleetCollector(FleetAgent agent) {
        this.agent = agent;
    }

    @Override
    public MetricSnapshots collect() {
        FleetView view = agent.view();
        if (view == null) {
            return new MetricSnapshots();
        }
        return new MetricSnapshots(gauge("tamanoir_fleet_generation", "Generation of the fleet whose part is in force; 0 for none.", view.generation()),
                gauge("tamanoir_fleet_refused", "1 if the newest part of the fleet is refused here, otherwise 0.", view.refused() == null ? 0 : 1),
                gauge("tamanoir_fleet_contact_seconds", "Seconds since the fleet's server last answered; -1 if it never has.", view.contactMillis() < 0 ? -1 : view.contactMillis() / MILLIS),
                counter("tamanoir_fleet_answers", "Questions that the fleet's server has answered.", agent.counters().answered()),
                counter("tamanoir_fleet_failures", "Questions and reports that it has not answered.", agent.counters().failed()),
                counter("tamanoir_fleet_parts_taken", "Parts of the fleet that were put in force.", agent.counters().taken()),
                counter("tamanoir_fleet_parts_refused", "Parts of the fleet that were not.", agent.counters().refused()),
                counter("tamanoir_fleet_reports", "Reports that the fleet's server has taken.", agent.counters().reports()));
    }

    private static GaugeSnapshot gauge(String name, String help, double value) {
        return GaugeSnapshot.builder().name(name).help(help).dataPoint(GaugeDataPointSnapshot.builder().value(value).build()).build();
    }

    private static CounterSnapshot counter(String name, String help, LongAdder value) {
        return CounterSnapshot.builder().name(name).help(help).dataPoint(CounterDataPointSnapshot.builder().value(value.sum()).build()).build();
    }
}
