package org.tamanoir.service.testkit;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.tamanoir.service.Metrics;

/** The metrics that a service has registered, read whenever a test asks. */
public final class RecordedMetrics implements Metrics {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]*(_[a-z0-9]+)*");

    /** Name and labels of a series, and what says its value. */
    private final Map<Series, DoubleSupplier> numbers = new HashMap<>();
    private final Map<Series, Supplier<Histogram>> histograms = new HashMap<>();

    private record Series(String name, Map<String, String> labels) {
    }

    RecordedMetrics() {
    }

    @Override
    public void counter(String name, String help, Map<String, String> labels, LongSupplier value) {
        gauge(name, help, labels, value::getAsLong);
    }

    @Override
    public void gauge(String name, String help, Map<String, String> labels, DoubleSupplier value) {
        numbers.put(checked(name, help, labels), value);
    }

    @Override
    public void histogram(String name, String help, Map<String, String> labels, double[] bounds, Supplier<Histogram> value) {
        for (int i = 1; i < bounds.length; i++) {
            if (bounds[i] <= bounds[i - 1]) {
                throw new ContractViolation("the bounds of histogram " + name + " do not grow");
            }
        }
        histograms.put(checked(name, help, labels), () -> checked(name, bounds.length, value.get()));
    }

    @Override
    public void remove(String name, Map<String, String> labels) {
        numbers.remove(new Series(name, labels));
        histograms.remove(new Series(name, labels));
    }

    /** A counter or a gauge without labels as it is now. */
    public double value(String name) {
        return value(name, Map.of());
    }

    /** A counter or a gauge as it is now. */
    public double value(String name, Map<String, String> labels) {
        return of(numbers, name, labels).getAsDouble();
    }

    /** A histogram without labels as it is now. */
    public Histogram histogram(String name) {
        return of(histograms, name, Map.of()).get();
    }

    private static <V> V of(Map<Series, V> all, String name, Map<String, String> labels) {
        V value = all.get(new Series(name, labels));
        if (value == null) {
            throw new AssertionError("no metric " + name + " " + labels + " among " + all.keySet());
        }
        return value;
    }

    /** The names of the counters and gauges. */
    public Set<String> names() {
        return numbers.keySet().stream().map(Series::name).collect(Collectors.toUnmodifiableSet());
    }

    private Series checked(String name, String help, Map<String, String> labels) {
        Series series = new Series(name, Map.copyOf(labels));
        if (!NAME.matcher(name).matches() || !labels.keySet().stream().allMatch(label -> NAME.matcher(label).matches())) {
            throw new ContractViolation("metric '" + name + "' " + labels + " is not lower case with _ between words");
        }
        if (labels.containsKey("version") || labels.containsKey("instance")) {
            throw new ContractViolation("metric " + name + " has a label that is the node's: " + labels);
        }
        if (help.isBlank()) {
            throw new ContractViolation("metric " + name + " says nothing of itself");
        }
        if (numbers.containsKey(series) || histograms.containsKey(series)) {
            throw new ContractViolation("metric " + name + " is registered twice");
        }
        if (numbers.size() + histograms.size() >= MOST_SERIES) {
            throw new ContractViolation("metric " + name + " is one more than the " + MOST_SERIES + " series that a service may have");
        }
        return series;
    }

    private static Histogram checked(String name, int bounds, Histogram histogram) {
        if (histogram.counts().length != bounds + 1) {
            throw new ContractViolation("histogram " + name + " has " + bounds + " bounds and " + histogram.counts().length + " counts");
        }
        return histogram;
    }
}
