package org.tamanoir.paths.forecast;

import java.util.Arrays;
import java.util.List;
import org.tamanoir.paths.metrics.Spread;

/**
 * Forecasts one series, such as the throughputs of a path in one size class. After each value every predictor is asked how far it was off; the one with the least
 * mean absolute error so far says the next value, and what it was off by lately is the error.
 */
public final class Forecaster {
    /** What a forecast was off by, lately. */
    private static final int RESIDUALS = 200;

    private final List<Predictor> predictors = List.of(Predictor.last(), Predictor.median(5), Predictor.median(11), Predictor.median(31), Predictor.average(0.1), Predictor.average(0.3));
    private final double[] off = new double[predictors.size()];
    private final double[] residuals = new double[RESIDUALS];
    private int count;
    private double ownOff;

    /**
     * What comes next.
     *
     * @param value     NaN if nothing has been measured yet
     * @param low       16 of 100 are less, by what earlier forecasts were off; NaN if there were none
     * @param high      84 of 100 are less
     * @param predictor which one says so
     * @param meanError mean of what it was off so far, without sign; NaN as above
     * @param count     values that it is made of
     */
    public record Forecast(double value, double low, double high, String predictor, double meanError, int count) {
    }

    /** A further value, in the order of time. NaN and infinite ones are no values. */
    public void add(double value) {
        if (!Double.isFinite(value)) {
            return;
        }
        if (count > 0) {
            double residual = value - predictors.get(best()).next();
            residuals[(count - 1) % RESIDUALS] = residual;
            ownOff += Math.abs(residual);
            for (int i = 0; i < off.length; i++) {
                off[i] += Math.abs(value - predictors.get(i).next());
            }
        }
        predictors.forEach(each -> each.add(value));
        count++;
    }

    private int best() {
        int best = 0;
        for (int i = 1; i < off.length; i++) {
            best = off[i] < off[best] ? i : best;
        }
        return best;
    }

    public Forecast next() {
        Predictor best = predictors.get(best());
        Spread spread = count < 2 ? null : Spread.of(Arrays.copyOf(residuals, Math.min(count - 1, RESIDUALS)));
        double value = best.next();
        return new Forecast(value, spread == null ? Double.NaN : value + spread.low(), spread == null ? Double.NaN : value + spread.high(), best.name(),
                count < 2 ? Double.NaN : off[best()] / (count - 1), count);
    }

    /** Mean of what the forecasts themselves were off, without sign; NaN before the second value. */
    public double meanError() {
        return count < 2 ? Double.NaN : ownOff / (count - 1);
    }

    /** The least mean error of any predictor alone; NaN before the second value. */
    public double leastMeanError() {
        return count < 2 ? Double.NaN : off[best()] / (count - 1);
    }
}
