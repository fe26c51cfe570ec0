package org.tamanoir.paths.forecast;

import java.util.Random;

/** A series with a step. For tests, and for {@code bench observatory}. */
public final class StepSeries {
    private StepSeries() {
    }

    /** Throughputs of a day, a minute apart: 80 Mbit/s, then a step to 14, and back; with noise, and some that nothing explains. */
    public static double[] of(long seed) {
        Random random = new Random(seed);
        double[] values = new double[1440];
        for (int i = 0; i < values.length; i++) {
            double level = i > 480 && i < 960 ? 14.2 : 80.2;
            values[i] = Math.max(0.1, level * (1 + 0.05 * random.nextGaussian()) * (random.nextInt(50) == 0 ? 0.3 : 1));
        }
        return values;
    }
}
