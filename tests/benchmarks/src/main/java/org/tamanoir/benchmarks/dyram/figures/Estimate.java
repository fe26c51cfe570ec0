package org.tamanoir.benchmarks.dyram.figures;

import java.util.List;
import org.tamanoir.benchmarks.report.Row;

/**
 * A figure from several seeds.
 *
 * @param mean of the seeds
 * @param low  the least of them
 * @param high the greatest
 * @param runs how many
 */
record Estimate(double mean, double low, double high, int runs) {
    private static final double DIGITS = 1e4;

    /** @param values of the seeds, in their order; at least one */
    static Estimate of(List<Double> values) {
        double sum = 0;
        double low = Double.POSITIVE_INFINITY;
        double high = Double.NEGATIVE_INFINITY;
        for (double value : values) {
            sum += value;
            low = Math.min(low, value);
            high = Math.max(high, value);
        }
        return new Estimate(sum / values.size(), low, high, values.size());
    }

    /** @param x where on the figure's axis */
    Row row(String figure, String series, int x, String metric, String unit) {
        return new Row(figure, series, 0, x, metric, round(mean), unit, runs, round(low), round(high));
    }

    static double round(double value) {
        return Math.round(value * DIGITS) / DIGITS;
    }
}
