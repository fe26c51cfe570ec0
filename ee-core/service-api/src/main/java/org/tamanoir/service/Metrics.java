package org.tamanoir.service;

import java.util.Map;
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
 * <p>Names are lower case, with {@code _} between words: {@code saved_bytes}. Labels tell series of one name apart, such as hits by kind; the
 * names of labels are as those of metrics, and {@code version} and {@code instance} are the node's. Take values that you choose, never such as a
 * stranger can make up: a service has at most {@value #MOST_SERIES} series, and one more is an {@link IllegalArgumentException}.
 *
 * <pre>{@code
 * service.metrics().counter("answers", "Answers given.", Map.of("from", "cache"), () -> hits.sum());
 * service.metrics().counter("answers", "Answers given.", Map.of("from", "origin"), () -> misses.sum());
 * }</pre>
 */
public interface Metrics {
    /** Series that a service may have, over all names and labels. */
    int MOST_SERIES = 200;

    /** A number that only grows. */
    default void counter(String name, String help, LongSupplier value) {
        counter(name, help, Map.of(), value);
    }

    /** One of several numbers of a name that only grow. */
    void counter(String name, String help, Map<String, String> labels, LongSupplier value);

    /** A number that goes up and down. */
    default void gauge(String name, String help, DoubleSupplier value) {
        gauge(name, help, Map.of(), value);
    }

    /** One of several numbers of a name that go up and down. */
    void gauge(String name, String help, Map<String, String> labels, DoubleSupplier value);

    /**
     * How often a measured value fell into each of some ranges.
     *
     * @param bounds the upper bounds, growing; one more range takes what is above the last
     */
    default void histogram(String name, String help, double[] bounds, Supplier<Histogram> value) {
        histogram(name, help, Map.of(), bounds, value);
    }

    /** One of several histograms of a name, with the same bounds. */
    void histogram(String name, String help, Map<String, String> labels, double[] bounds, Supplier<Histogram> value);

    /** Takes a series away, such as that of a neighbour that is gone; does nothing if there is none. */
    void remove(String name, Map<String, String> labels);

    /**
     * A histogram at one moment.
     *
     * @param counts one number a range, not cumulative: one more than there are bounds
     * @param sum    the sum of all values
     */
    record Histogram(long[] counts, double sum) {
    }
}
