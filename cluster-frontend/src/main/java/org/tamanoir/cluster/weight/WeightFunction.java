package org.tamanoir.cluster.weight;

/** From pressure to weight; {@link WeightControl} says why it is this one. */
final class WeightFunction {
    /** The weight of an idle back end. */
    static final int MOST = 100;
    /** How much the logarithm of a weight falls when that of the pressure rises; below 1. */
    static final double GAIN = 0.9;
    /** Pressures that are small against this one are all the same: idle back ends do not differ by what their housekeeping costs. */
    static final double IDLE = 0.1;
    /** From one weight to the next. */
    static final double STEP = Math.log(1.15);

    private WeightFunction() {
    }

    /** The logarithm of the weight's part of the most, not more than 0. */
    static double logarithm(double pressure) {
        return -GAIN * Math.log1p(pressure / IDLE);
    }

    /** The weight on the scale of steps: {@value #MOST}, 87, 76, … 12, … 8. */
    static int weight(double pressure) {
        return (int) Math.max(1, Math.round(MOST * Math.exp(STEP * Math.round(logarithm(pressure) / STEP))));
    }
}
