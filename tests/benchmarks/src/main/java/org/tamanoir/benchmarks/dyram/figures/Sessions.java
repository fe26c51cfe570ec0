package org.tamanoir.benchmarks.dyram.figures;

import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.tamanoir.benchmarks.dyram.figures.SimulatedSession.Outcome;
import org.tamanoir.benchmarks.report.Row;

/** What simulated sessions gave: for each setting one outcome for each seed. A setting gets the same seeds whatever is run beside it. */
final class Sessions {
    private final Map<Setting, List<Outcome>> outcomes = new ConcurrentHashMap<>();
    private final Function<Setting, List<Outcome>> simulation;

    /** @param simulation gives of every setting as many */
    Sessions(Function<Setting, List<Outcome>> simulation) {
        this.simulation = simulation;
    }

    /** Runs all that others were asked for, on every processor. */
    void simulate(Sessions asked, Consumer<String> progress) {
        Set<Setting> settings = asked.outcomes.keySet();
        settings.parallelStream().forEach(setting -> {
            outcomes(setting);
            progress.accept(outcomes.size() + " of " + settings.size() + " settings simulated");
        });
    }

    private List<Outcome> outcomes(Setting setting) {
        return outcomes.computeIfAbsent(setting, simulation);
    }

    Estimate of(Setting setting, ToDoubleFunction<Outcome> metric) {
        return Estimate.of(outcomes(setting).stream().map(metric::applyAsDouble).toList());
    }

    /** Of two settings, seed by seed: one in parts of the other. */
    Estimate ratio(Setting one, Setting other, ToDoubleFunction<Outcome> metric) {
        List<Outcome> ones = outcomes(one);
        List<Outcome> others = outcomes(other);
        return Estimate.of(IntStream.range(0, ones.size()).mapToObj(i -> metric.applyAsDouble(ones.get(i)) / metric.applyAsDouble(others.get(i))).toList());
    }

    /** A figure from several seeds: their mean, the least and the greatest of them, and how many they are. */
    record Estimate(double mean, double low, double high, int runs) {
        private static final double DIGITS = 1e4;

        static Estimate of(List<Double> values) {
            DoubleSummaryStatistics all = values.stream().mapToDouble(Double::doubleValue).summaryStatistics();
            return new Estimate(all.getAverage(), all.getMin(), all.getMax(), values.size());
        }

        /** What nobody has simulated: the model's number, or the paper's. */
        static Estimate given(double value) {
            return new Estimate(value, value, value, 0);
        }

        Row row(String figure, String series, int x, String metric, String unit) {
            return new Row(figure, series, 0, x, metric, round(mean), unit, runs, round(low), round(high));
        }

        static double round(double value) {
            return Math.round(value * DIGITS) / DIGITS;
        }
    }
}
