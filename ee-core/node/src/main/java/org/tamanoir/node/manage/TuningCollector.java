package org.tamanoir.node.manage;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import org.tamanoir.node.tuning.RuleStatus;
import org.tamanoir.node.tuning.Tuning;

/** The rules for tuning; nothing where there is none. */
final class TuningCollector implements MultiCollector {
    private final Tuning tuning;

    TuningCollector(Tuning tuning) {
        this.tuning = tuning;
    }

    @Override
    public MetricSnapshots collect() {
        CounterSnapshot.Builder legs = CounterSnapshot.builder().name("tamanoir_tuning_legs").help("Connections that a rule for tuning is for, by whether they had it.");
        GaugeSnapshot.Builder state = GaugeSnapshot.builder().name("tamanoir_tuning_state").help("1 for the state in which a rule for tuning is.");
        for (RuleStatus rule : tuning.status()) {
            legs.dataPoint(CounterDataPointSnapshot.builder().labels(Labels.of("rule", rule.name(), "tuned", "yes")).value(rule.tuned()).build());
            legs.dataPoint(CounterDataPointSnapshot.builder().labels(Labels.of("rule", rule.name(), "tuned", "no")).value(rule.untuned()).build());
            state.dataPoint(GaugeDataPointSnapshot.builder().labels(Labels.of("rule", rule.name(), "state", rule.state())).value(1).build());
        }
        return new MetricSnapshots(legs.build(), state.build());
    }
}
