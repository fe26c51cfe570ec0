package org.tamanoir.service;

import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What a service counts. A service keeps plain numbers and registers how to read them; they are read when somebody scrapes, so counting
 * costs an addition. The node puts {@code tamanoir_NAME_} in front of each name and adds the label {@code version}, and takes
 * everything away when the service goes.
 *
 * <pre>{@code
 * service.metrics().counter("packets", "Packets seen.", () -> packets.sum());
 * }</pre>
 *
 * <p>Names are lower case, with {@code _} between words: {@code saved_bytes}.
 */
public interface Metrics {
    /** A number that only grows. */
    void counter(String name, String help, LongSupplier value);

    /** A number that goes up and down. */
    void gauge(String name, String help, DoubleSupplier value);

    /**
     * How often a measured value fell into each of some ranges.
     *
     * @param bounds the upper bounds, growing; one more range takes what is above the last
     */
    void histogram(String name, String help, double[] bounds, Supplier<Histogram> value);

    /**
     * A histogram at one moment.
     *
     * @param counts one number a range, not cumulative: one more than there are bounds
     * @param sum    the sum of all values
     */
    record Histogram(long[] counts, double sum) {
    }
}
