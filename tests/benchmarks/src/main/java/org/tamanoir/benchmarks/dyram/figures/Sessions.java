package org.tamanoir.benchmarks.dyram.figures;

import java.util.Collection;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.tamanoir.benchmarks.dyram.figures.SimulatedSession.Outcome;
import org.tamanoir.benchmarks.report.Row;

/** What simulated sessions gave: for each setting one outcome for each seed. */
final class Sessions {
    private final Map<Setting, List<Outcome>> outcomes;

    /** @param outcomes of each setting as many */
    Sessions(Map<Setting, List<Outcome>> outcomes) {
        this.outcomes = outcomes;
    }

    /**
     * Runs all of them, on every processor.
     *
     * @param seed  the first; a setting gets the same seeds whatever is run beside it
     * @param seeds how many
     */
    static Sessions run(Collection<Setting> settings, long seed, int seeds, Consumer<String> progress) {
        Map<Setting, List<Outcome>> outcomes = new ConcurrentHashMap<>();
        Set<Setting> each = new LinkedHashSet<>(settings);
        each.parallelStream().forEach(setting -> {
            outcomes.put(setting, LongStream.range(seed, seed + seeds).mapToObj(one -> SimulatedSession.run(setting, one)).toList());
            progress.accept(outcomes.size() + " of " + each.size() + " settings simulated");
        });
        return new Sessions(outcomes);
    }

    Estimate of(Setting setting, ToDoubleFunction<Outcome> metric) {
        return Estimate.of(outcomes.get(setting).stream().map(metric::applyAsDouble).toList());
    }

    /** Of two settings, seed by seed: one in parts of the other. */
    Estimate ratio(Setting one, Setting other, ToDoubleFunction<Outcome> metric) {
        return Estimate.of(IntStream.range(0, outcomes.get(one).size())
                .mapToObj(i -> metric.applyAsDouble(outcomes.get(one).get(i)) / metric.applyAsDouble(outcomes.get(other).get(i))).toList());
    }

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
            DoubleSummaryStatistics all = values.stream().mapToDouble(Double::doubleValue).summaryStatistics();
            return new Estimate(all.getAverage(), all.getMin(), all.getMax(), values.size());
        }

        /** @param x where on the figure's axis */
        Row row(String figure, String series, int x, String metric, String unit) {
            return new Row(figure, series, 0, x, metric, round(mean), unit, runs, round(low), round(high));
        }

        static double round(double value) {
            return Math.round(value * DIGITS) / DIGITS;
        }
    }
}
