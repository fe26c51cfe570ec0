package org.tamanoir.node.manage;

import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.service.Metrics;

/** The metrics of one service: read when somebody scrapes, gone when the service goes. */
final class ServiceMetrics implements Metrics {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceMetrics.class);
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]*(_[a-z0-9]+)*");
    /** Metrics that one service may have. */
    private static final int MOST = 100;

    private final PrometheusRegistry registry;
    private final String prefix;
    private final Labels labels;
    private final Set<String> names = new HashSet<>();
    private final List<Collector> collectors = new ArrayList<>();

    ServiceMetrics(PrometheusRegistry registry, String service, String version) {
        this.registry = registry;
        this.prefix = "tamanoir_" + service.replaceAll("[^a-zA-Z0-9]", "_") + "_";
        this.labels = Labels.of("version", version);
    }

    @Override
    public void counter(String name, String help, LongSupplier value) {
        add(name, () -> CounterSnapshot.builder().name(prefix + name).help(help)
                .dataPoint(CounterDataPointSnapshot.builder().labels(labels).value(value.getAsLong()).build()).build());
    }

    @Override
    public void gauge(String name, String help, DoubleSupplier value) {
        add(name, () -> GaugeSnapshot.builder().name(prefix + name).help(help)
                .dataPoint(GaugeDataPointSnapshot.builder().labels(labels).value(value.getAsDouble()).build()).build());
    }

    @Override
    public void histogram(String name, String help, double[] bounds, Supplier<Histogram> value) {
        double[] upper = java.util.Arrays.copyOf(bounds, bounds.length + 1);
        upper[bounds.length] = Double.POSITIVE_INFINITY;
        add(name, () -> {
            Histogram now = value.get();
            double[] counts = java.util.Arrays.stream(now.counts()).asDoubleStream().toArray();
            Number[] boxed = new Number[counts.length];
            for (int i = 0; i < counts.length; i++) {
                boxed[i] = now.counts()[i];
            }
            List<Double> limits = java.util.Arrays.stream(upper).boxed().toList();
            return HistogramSnapshot.builder().name(prefix + name).help(help).dataPoint(HistogramDataPointSnapshot.builder().labels(labels)
                    .sum(now.sum()).classicHistogramBuckets(ClassicHistogramBuckets.of(limits, List.of(boxed))).build()).build();
        });
    }

    private void add(String name, Supplier<MetricSnapshot> read) {
        if (!NAME.matcher(name).matches() || collectors.size() >= MOST) {
            throw new IllegalArgumentException("metric '" + name + "': a name is lower case with _ between words, and a service has at most "
                    + MOST);
        }
        if (!names.add(name)) {
            throw new IllegalArgumentException("metric '" + name + "' is registered already");
        }
        Collector collector = () -> {
            try {
                return read.get();
            } catch (RuntimeException | Error e) {
                // A service must not take the metrics of the node down with it.
                LOG.warn("metric {}{} cannot be read", prefix, name, e);
                return null;
            }
        };
        registry.register(collector);
        collectors.add(collector);
    }

    /** Takes all of them away. */
    void discard() {
        collectors.forEach(registry::unregister);
        collectors.clear();
    }
}
