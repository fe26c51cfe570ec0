package org.tamanoir.paths.metrics;

import java.util.Arrays;

/**
 * Round trips of one run (RFC 2681), milliseconds.
 *
 * @param least  smallest: the path without its queues
 * @param delays the middle ones
 * @param p95    95 of 100 were no larger
 * @param loss   of the probes
 */
public record RoundTrip(double least, Spread delays, double p95, LossRatio loss) {
    /** @param delays of the probes as they were sent @return null if none came back */
    public static RoundTrip of(double... delays) {
        double[] sorted = Arrays.stream(delays).filter(each -> !Double.isNaN(each)).sorted().toArray();
        return sorted.length == 0 ? null : new RoundTrip(sorted[0], Spread.of(sorted), Spread.quantile(sorted, 0.95), new LossRatio(delays.length, delays.length - sorted.length));
    }
}
