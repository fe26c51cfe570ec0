package org.tamanoir.node.manage;

import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import org.tamanoir.node.routing.PoolTable;

/** What a node hands to pools. */
final class PoolsCollector implements Collector {
    private final PoolTable pools;

    PoolsCollector(PoolTable pools) {
        this.pools = pools;
    }

    @Override
    public MetricSnapshot collect() {
        CounterSnapshot.Builder handed = CounterSnapshot.builder().name("tamanoir_streams_handed")
                .help("Streams that others serve in the place of this node, by the address of their pool.");
        pools.counts().forEach((pool, count) -> handed.dataPoint(CounterDataPointSnapshot.builder().labels(Labels.of("pool", pool)).value(count).build()));
        return handed.build();
    }
}
