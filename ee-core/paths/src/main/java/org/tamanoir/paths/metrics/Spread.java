package org.tamanoir.paths.metrics;

import java.util.Arrays;

/**
 * The middle of some samples, and where 68 of 100 of them lie: what DataGRID (section 5.2.3) takes as an estimate and its error.
 *
 * @param count  samples, 1 or more
 * @param low    16 of 100 are less
 * @param median half of them are
 * @param high   84 of 100 are
 */
public record Spread(int count, double low, double median, double high) {
    public static final double LOW = 0.16;
    public static final double HIGH = 0.84;

    /** @param samples in any order; NaN is left out. @return null if nothing is left */
    public static Spread of(double... samples) {
        double[] sorted = Arrays.stream(samples).filter(each -> !Double.isNaN(each)).sorted().toArray();
        return sorted.length == 0 ? null : new Spread(sorted.length, quantile(sorted, LOW), quantile(sorted, 0.5), quantile(sorted, HIGH));
    }

    /** With linear interpolation between ranks (type 7 of Hyndman and Fan). @param sorted ascending, not empty @param part 0 to 1 */
    public static double quantile(double[] sorted, double part) {
        double rank = part * (sorted.length - 1);
        int below = (int) rank;
        return below + 1 >= sorted.length ? sorted[below] : sorted[below] + (rank - below) * (sorted[below + 1] - sorted[below]);
    }
}
