package org.tamanoir.benchmarks.dyram.figures;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToDoubleFunction;

/** What simulated sessions gave: for each setting one outcome for each seed. */
final class Sessions {
    private final Map<Setting, List<Outcome>> outcomes;

    private Sessions(Map<Setting, List<Outcome>> outcomes) {
        this.outcomes = outcomes;
    }

    /**
     * Runs all of them, on every processor.
     *
     * @param seed  the first; a setting gets the same seeds whatever is run beside it
     * @param seeds how many
     */
    static Sessions run(Collection<Setting> settings, long seed, int seeds, Consumer<String> progress) {
        Map<Setting, List<Future<Outcome>>> futures = new LinkedHashMap<>();
        ExecutorService workers = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
        try {
            for (Setting setting : settings) {
                futures.computeIfAbsent(setting, unused -> {
                    List<Future<Outcome>> runs = new ArrayList<>();
                    for (int i = 0; i < seeds; i++) {
                        long each = seed + i;
                        runs.add(workers.submit(() -> SimulatedSession.run(setting, each)));
                    }
                    return runs;
                });
            }
            return new Sessions(results(futures, progress));
        } finally {
            workers.shutdownNow();
        }
    }

    private static Map<Setting, List<Outcome>> results(Map<Setting, List<Future<Outcome>>> futures, Consumer<String> progress) {
        Map<Setting, List<Outcome>> results = new LinkedHashMap<>();
        try {
            for (Map.Entry<Setting, List<Future<Outcome>>> each : futures.entrySet()) {
                List<Outcome> runs = new ArrayList<>();
                for (Future<Outcome> run : each.getValue()) {
                    runs.add(run.get());
                }
                results.put(each.getKey(), runs);
                progress.accept(results.size() + " of " + futures.size() + " settings simulated");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the simulation was interrupted", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause().getMessage(), e.getCause());
        }
        return results;
    }

    Estimate of(Setting setting, ToDoubleFunction<Outcome> metric) {
        return Estimate.of(outcomes.get(setting).stream().map(metric::applyAsDouble).toList());
    }

    /** Of two settings, seed by seed. */
    Estimate of(Setting one, Setting other, ToDoubleBiFunction<Outcome, Outcome> metric) {
        List<Double> values = new ArrayList<>();
        for (int i = 0; i < outcomes.get(one).size(); i++) {
            values.add(metric.applyAsDouble(outcomes.get(one).get(i), outcomes.get(other).get(i)));
        }
        return Estimate.of(values);
    }
}
