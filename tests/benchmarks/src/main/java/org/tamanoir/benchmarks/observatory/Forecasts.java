package org.tamanoir.benchmarks.observatory;

import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.paths.forecast.Forecaster;
import org.tamanoir.paths.forecast.StepSeries;

/** Series with a step, replayed: what the forecaster is off, beside the best of its predictors alone, which only the whole series tells. */
final class Forecasts extends MeasuredOutcome {
    private static final int SERIES = 10;
    private static final double MOST = 1.05;

    private Forecasts(Measurements measured) {
        super("forecast", measured);
    }

    static Outcome run(ObservatoryPlan plan, Consumer<String> progress) {
        Measurements measured = new Measurements(progress);
        measured.doing("replaying series");
        for (int i = 0; i < SERIES; i++) {
            Forecaster forecaster = new Forecaster();
            Arrays.stream(StepSeries.of(plan.seed() + i)).forEach(forecaster::add);
            measured.add(key("tamanoir", "mean error", "Mbit/s"), forecaster.meanError());
            measured.add(key("best predictor alone", "mean error", "Mbit/s"), forecaster.leastMeanError());
            measured.add(key("tamanoir", "of the best", "ratio"), forecaster.meanError() / forecaster.leastMeanError());
        }
        return new Forecasts(measured);
    }

    private static Key key(String system, String metric, String unit) {
        return new Key("forecast", system, 0, 0, metric, unit);
    }

    @Override
    public List<Target> targets() {
        double worst = samples().of(key("tamanoir", "of the best", "ratio")).stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN);
        return List.of(Target.atMost("mean absolute error of forecasts in parts of the best predictor's, the worst of " + SERIES + " series", worst, MOST));
    }

    @Override
    public void print(PrintWriter out) {
        Table.printRanges(out, rows());
    }
}
