package org.tamanoir.service.testkit;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.tamanoir.service.Metrics;

/** The metrics that a service has registered, read whenever a test asks. */
public final class RecordedMetrics implements Metrics {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]*(_[a-z0-9]+)*");

    private final Map<String, DoubleSupplier> numbers = new TreeMap<>();
    private final Map<String, Supplier<Histogram>> histograms = new TreeMap<>();

    RecordedMetrics() {
    }

    @Override
    public void counter(String name, String help, LongSupplier value) {
        gauge(name, help, value::getAsLong);
    }

    @Override
    public void gauge(String name, String help, DoubleSupplier value) {
        check(name, help);
        numbers.put(name, value);
    }

    @Override
    public void histogram(String name, String help, double[] bounds, Supplier<Histogram> value) {
        check(name, help);
        for (int i = 1; i < bounds.length; i++) {
            if (bounds[i] <= bounds[i - 1]) {
                throw new ContractViolation("the bounds of histogram " + name + " do not grow");
            }
        }
        histograms.put(name, () -> checked(name, bounds.length, value.get()));
    }

    /** A counter or a gauge as it is now. */
    public double value(String name) {
        DoubleSupplier value = numbers.get(name);
        if (value == null) {
            throw new AssertionError("no metric " + name + " among " + numbers.keySet());
        }
        return value.getAsDouble();
    }

    /** A histogram as it is now. */
    public Histogram histogram(String name) {
        Supplier<Histogram> value = histograms.get(name);
        if (value == null) {
            throw new AssertionError("no histogram " + name + " among " + histograms.keySet());
        }
        return value.get();
    }

    /** The counters and gauges. */
    public Set<String> names() {
        return Set.copyOf(numbers.keySet());
    }

    private void check(String name, String help) {
        if (!NAME.matcher(name).matches()) {
            throw new ContractViolation("metric '" + name + "' is not lower case with _ between words");
        }
        if (help.isBlank()) {
            throw new ContractViolation("metric " + name + " says nothing of itself");
        }
        if (numbers.containsKey(name) || histograms.containsKey(name)) {
            throw new ContractViolation("metric " + name + " is registered twice");
        }
    }

    private static Histogram checked(String name, int bounds, Histogram histogram) {
        if (histogram.counts().length != bounds + 1) {
            throw new ContractViolation("histogram " + name + " has " + bounds + " bounds and " + histogram.counts().length + " counts");
        }
        return histogram;
    }
}
