package org.tamanoir.node.manage;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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

    private final String prefix;
    private final Labels labels;
    private final Map<String, Metric> metrics = new TreeMap<>();
    private int series;

    enum Kind { COUNTER, GAUGE, HISTOGRAM }

    /** What the series of a name have in common. */
    private record Metric(Kind kind, String help, Map<Map<String, String>, Supplier<? extends DataPointSnapshot>> series) {
    }

    /** A metric as it is now. */
    record Points(Kind kind, String name, String help, List<DataPointSnapshot> points) {
    }

    /** @param instance tells two instances of one version apart, such as one that drains and the one that was restarted */
    ServiceMetrics(String service, String version, long instance) {
        this.prefix = "tamanoir_" + service.replaceAll("[^a-zA-Z0-9]", "_") + "_";
        this.labels = Labels.of("version", version, "instance", Long.toString(instance));
    }

    @Override
    public void counter(String name, String help, Map<String, String> own, LongSupplier value) {
        Labels all = all(name, own);
        add(name, help, own, Kind.COUNTER, () -> CounterDataPointSnapshot.builder().labels(all).value(value.getAsLong()).build());
    }

    @Override
    public void gauge(String name, String help, Map<String, String> own, DoubleSupplier value) {
        Labels all = all(name, own);
        add(name, help, own, Kind.GAUGE, () -> GaugeDataPointSnapshot.builder().labels(all).value(value.getAsDouble()).build());
    }

    @Override
    public void histogram(String name, String help, Map<String, String> own, double[] bounds, Supplier<Histogram> value) {
        Labels all = all(name, own);
        double[] upper = Arrays.copyOf(bounds, bounds.length + 1);
        upper[bounds.length] = Double.POSITIVE_INFINITY;
        List<Double> limits = Arrays.stream(upper).boxed().toList();
        add(name, help, own, Kind.HISTOGRAM, () -> {
            Histogram now = value.get();
            List<Number> counts = Arrays.stream(now.counts()).<Number>mapToObj(count -> count).toList();
            return HistogramDataPointSnapshot.builder().labels(all).sum(now.sum()).classicHistogramBuckets(ClassicHistogramBuckets.of(limits, counts)).build();
        });
    }

    private Labels all(String metric, Map<String, String> own) {
        for (String name : own.keySet()) {
            if (!NAME.matcher(name).matches() || labels.contains(name)) {
                throw new IllegalArgumentException("label '" + name + "' of metric '" + metric + "': a name is lower case with _ between words, and version and instance are the node's");
            }
        }
        Map<String, String> sorted = new TreeMap<>(own);
        return labels.merge(Labels.of(sorted.keySet().toArray(String[]::new), sorted.values().toArray(String[]::new)));
    }

    private synchronized void add(String name, String help, Map<String, String> own, Kind kind, Supplier<? extends DataPointSnapshot> point) {
        if (!NAME.matcher(name).matches() || series >= MOST_SERIES) {
            throw new IllegalArgumentException("metric '" + name + "': a name is lower case with _ between words, and a service has at most " + MOST_SERIES + " series");
        }
        Metric metric = metrics.computeIfAbsent(name, unused -> new Metric(kind, help, new HashMap<>()));
        if (metric.kind != kind || !metric.help.equals(help) || metric.series.putIfAbsent(Map.copyOf(own), point) != null) {
            throw new IllegalArgumentException("metric '" + name + "' " + own + " is registered already, or as something else");
        }
        series++;
    }

    @Override
    public synchronized void remove(String name, Map<String, String> own) {
        Metric metric = metrics.get(name);
        if (metric != null && metric.series.remove(own) != null) {
            series--;
            if (metric.series.isEmpty()) {
                metrics.remove(name);
            }
        }
    }

    /** What can be read now. A service must not take the metrics of the node down with it. */
    List<Points> read() {
        List<Points> now = new ArrayList<>();
        copy().forEach((name, metric) -> {
            try {
                now.add(new Points(metric.kind, prefix + name, metric.help, metric.series.values().stream().<DataPointSnapshot>map(Supplier::get).toList()));
            } catch (RuntimeException | Error e) {
                LOG.warn("metric {}{} cannot be read", prefix, name, e);
            }
        });
        return now;
    }

    /** So that a service is asked without a lock. */
    private synchronized Map<String, Metric> copy() {
        Map<String, Metric> copy = new TreeMap<>();
        metrics.forEach((name, metric) -> copy.put(name, new Metric(metric.kind, metric.help, Map.copyOf(metric.series))));
        return copy;
    }
}
