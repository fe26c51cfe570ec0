package org.tamanoir.paths.forecast;

import java.util.Arrays;

/** Says what comes next from what has been. */
interface Predictor {
    /** As people see it: {@code median of 5}. */
    String name();

    /** The next value; NaN before the first. */
    double next();

    void add(double value);

    /** The last value comes again. */
    static Predictor last() {
        return average(1, "last value");
    }

    /** The exponential moving average. @param weight of a new value, more than 0 and at most 1 */
    static Predictor average(double weight) {
        return average(weight, "moving average " + weight);
    }

    private static Predictor average(double weight, String name) {
        return new Predictor() {
            private double average = Double.NaN;

            @Override
            public String name() {
                return name;
            }

            @Override
            public double next() {
                return average;
            }

            @Override
            public void add(double value) {
                average = Double.isNaN(average) ? value : average + weight * (value - average);
            }
        };
    }

    /** The median of the last values. @param most how many */
    static Predictor median(int most) {
        return new Predictor() {
            private final double[] values = new double[most];
            private int count;

            @Override
            public String name() {
                return "median of " + most;
            }

            @Override
            public double next() {
                double[] sorted = Arrays.copyOf(values, Math.min(count, most));
                Arrays.sort(sorted);
                int middle = sorted.length / 2;
                return sorted.length == 0 ? Double.NaN : sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
            }

            @Override
            public void add(double value) {
                values[count++ % most] = value;
            }
        };
    }
}
