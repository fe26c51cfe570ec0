package org.tamanoir.wasm.proxy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.tamanoir.service.Metrics;
import org.tamanoir.wasm.stream.ModuleCounters;

/** The metrics that a filter defines; those of the service. A name has one number, whichever instance defines it. Any thread. */
final class FilterMetrics {
    static final int MOST = 64;
    private static final int LONGEST_NAME = 200;
    private static final String HELP = "Defined by the filter.";
    private static final double[] BOUNDS = {1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};

    private enum Kind { COUNTER, GAUGE, HISTOGRAM }

    private final Metrics metrics;
    private final List<Metric> defined = new ArrayList<>();
    private final Map<String, Integer> ids = new HashMap<>();
    private final Set<String> taken = new HashSet<>();

    FilterMetrics(Metrics metrics) {
        this.metrics = metrics;
    }

    /**
     * Defines a metric, or finds it.
     *
     * @param kind {@code proxy_metric_type_t}
     * @return its number; -1 if the kind is unknown or the name has another, -2 if there is no room for one more
     */
    synchronized int define(int kind, String name) {
        if (kind < 0 || kind >= Kind.values().length || name.isEmpty() || name.length() > LONGEST_NAME) {
            return -1;
        }
        Integer known = ids.get(name);
        if (known != null) {
            return defined.get(known).kind == Kind.values()[kind] ? known : -1;
        }
        if (defined.size() == MOST) {
            return -2;
        }
        Metric metric = new Metric(Kind.values()[kind]);
        register(free(name), metric);
        defined.add(metric);
        ids.put(name, defined.size() - 1);
        return defined.size() - 1;
    }

    /** {@code a.b-C} becomes {@code a_b_c}, and {@code a_b_c_2} if another has that name. */
    private String free(String name) {
        String plain = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "_").replaceAll("^[_0-9]+|_$", "");
        // The node's own begin so.
        String base = plain.isEmpty() ? "metric" : plain.startsWith(ModuleCounters.OWN) ? "filter_" + plain : plain;
        String chosen = base;
        for (int i = 2; !taken.add(chosen); i++) {
            chosen = base + "_" + i;
        }
        return chosen;
    }

    private void register(String name, Metric metric) {
        switch (metric.kind) {
            case COUNTER -> metrics.counter(name, HELP, metric.value::get);
            case GAUGE -> metrics.gauge(name, HELP, metric.value::get);
            default -> metrics.histogram(name, HELP, BOUNDS, metric::histogram);
        }
    }

    private synchronized Metric metric(int id) {
        return id < 0 || id >= defined.size() ? null : defined.get(id);
    }

    Status increment(int id, long delta) {
        Metric metric = metric(id);
        if (metric == null) {
            return Status.NOT_FOUND;
        }
        if (metric.kind == Kind.HISTOGRAM || metric.kind == Kind.COUNTER && delta < 0) {
            return Status.BAD_ARGUMENT;
        }
        metric.value.addAndGet(delta);
        return Status.OK;
    }

    Status record(int id, long value) {
        Metric metric = metric(id);
        if (metric == null) {
            return Status.NOT_FOUND;
        }
        metric.value.set(value);
        metric.observe(value);
        return Status.OK;
    }

    /** @return null if there is none with that number; of a histogram what was recorded last */
    Long value(int id) {
        Metric metric = metric(id);
        return metric == null ? null : metric.value.get();
    }

    private static final class Metric {
        private final Kind kind;
        private final AtomicLong value = new AtomicLong();
        private final long[] counts = new long[BOUNDS.length + 1];
        private double sum;

        Metric(Kind kind) {
            this.kind = kind;
        }

        synchronized void observe(long observed) {
            int range = 0;
            while (range < BOUNDS.length && observed > BOUNDS[range]) {
                range++;
            }
            counts[range]++;
            sum += observed;
        }

        synchronized Metrics.Histogram histogram() {
            return new Metrics.Histogram(counts.clone(), sum);
        }
    }
}
