package org.tamanoir.node.manage;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.service.Metrics;

/** The metrics of one running version of a service: read when somebody scrapes. {@link ServicesCollector} puts versions together. */
final class ServiceMetrics implements Metrics {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceMetrics.class);
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]*(_[a-z0-9]+)*");
    /** Metrics that one service may have. */
    private static final int MOST = 100;

    private final String prefix;
    private final Labels labels;
    private final Map<String, Supplier<MetricSnapshot>> readers = new ConcurrentSkipListMap<>();

    /** @param instance tells two instances of one version apart, such as one that drains and the one that was restarted */
    ServiceMetrics(String service, String version, long instance) {
        this.prefix = "tamanoir_" + service.replaceAll("[^a-zA-Z0-9]", "_") + "_";
        this.labels = Labels.of("version", version, "instance", Long.toString(instance));
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
        double[] upper = Arrays.copyOf(bounds, bounds.length + 1);
        upper[bounds.length] = Double.POSITIVE_INFINITY;
        List<Double> limits = Arrays.stream(upper).boxed().toList();
        add(name, () -> {
            Histogram now = value.get();
            List<Number> counts = Arrays.stream(now.counts()).<Number>mapToObj(count -> count).toList();
            return HistogramSnapshot.builder().name(prefix + name).help(help).dataPoint(HistogramDataPointSnapshot.builder().labels(labels)
                    .sum(now.sum()).classicHistogramBuckets(ClassicHistogramBuckets.of(limits, counts)).build()).build();
        });
    }

    private void add(String name, Supplier<MetricSnapshot> read) {
        if (!NAME.matcher(name).matches() || readers.size() >= MOST) {
            throw new IllegalArgumentException("metric '" + name + "': a name is lower case with _ between words, and a service has at most "
                    + MOST);
        }
        if (readers.putIfAbsent(name, read) != null) {
            throw new IllegalArgumentException("metric '" + name + "' is registered already");
        }
    }

    /** What can be read now, by full name. A service must not take the metrics of the node down with it. */
    Map<String, MetricSnapshot> read() {
        Map<String, MetricSnapshot> now = new TreeMap<>();
        readers.forEach((name, reader) -> {
            try {
                now.put(prefix + name, reader.get());
            } catch (RuntimeException | Error e) {
                LOG.warn("metric {}{} cannot be read", prefix, name, e);
            }
        });
        return now;
    }
}
