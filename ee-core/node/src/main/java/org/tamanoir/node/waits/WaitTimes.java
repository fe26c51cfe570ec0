package org.tamanoir.node.waits;

import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.snapshots.Unit;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How long one thing took, each time: a histogram that has classic buckets, for every Prometheus, and native ones, for those that ask for protobuf. Observed by any
 * thread; for what happens once a stream, a file or a turn of a loop, and not once a packet.
 */
public final class WaitTimes {
    /** Each native bucket ends 2^(1/8) times, or 9 %, further than the one before. */
    private static final int NATIVE_SCHEMA = 3;
    /** Values of a label, so that whoever chooses them makes no number of series. */
    private static final int MOST_LABELS = 64;
    private static final String OTHERS = "other";
    private static final double NANOS_A_SECOND = 1e9;

    private final Histogram histogram;
    private final boolean labelled;
    private final Set<String> labels = ConcurrentHashMap.newKeySet();

    private WaitTimes(Histogram.Builder histogram, boolean labelled) {
        histogram.withoutExemplars();
        this.histogram = histogram.build();
        this.labelled = labelled;
    }

    /**
     * Times of one kind.
     *
     * @param name   of the metric, which ends with {@code _seconds}
     * @param bounds upper bounds of the classic buckets in seconds, growing; one more takes what is above the last
     */
    public static WaitTimes of(String name, String help, double... bounds) {
        return new WaitTimes(histogram(name, help, bounds), false);
    }

    /** The same by a label: the first 64 of its values have series of their own, and those after them share one, {@code other}. */
    public static WaitTimes by(String label, String name, String help, double... bounds) {
        Histogram.Builder histogram = histogram(name, help, bounds);
        histogram.labelNames(label);
        return new WaitTimes(histogram, true);
    }

    private static Histogram.Builder histogram(String name, String help, double... bounds) {
        Histogram.Builder histogram = Histogram.builder().classicUpperBounds(bounds).nativeInitialSchema(NATIVE_SCHEMA);
        return histogram.name(name).help(help).unit(Unit.SECONDS);
    }

    /** It took so long. @param nanos of {@link System#nanoTime}; what is less than 0 counts as 0 */
    public void took(long nanos) {
        if (labelled) {
            throw new IllegalStateException("times by a label have one");
        }
        histogram.observe(seconds(nanos));
    }

    /** The same of times by a label. */
    public void took(String label, long nanos) {
        histogram.labelValues(labels.contains(label) || labels.size() < MOST_LABELS && labels.add(label) ? label : OTHERS).observe(seconds(nanos));
    }

    private static double seconds(long nanos) {
        return Math.max(0, nanos) / NANOS_A_SECOND;
    }

    /** What shows them. */
    public Collector collector() {
        return histogram;
    }
}
