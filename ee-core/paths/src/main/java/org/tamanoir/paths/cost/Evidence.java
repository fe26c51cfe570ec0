package org.tamanoir.paths.cost;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.paths.metrics.Numbers;
import org.tamanoir.paths.metrics.Spread;

/**
 * The samples of one metric that an answer is made of.
 *
 * @param rule    by which they were chosen, or why there are none: one sentence
 * @param samples the newest first; empty if nothing is known
 */
public record Evidence(Metric metric, String rule, List<Sample> samples) {
    /** From so many sources on, each has one voice. */
    private static final int VOICES = 3;

    public boolean isKnown() {
        return !samples.isEmpty();
    }

    /**
     * The middle of the samples. Where three sources or more have measured, each counts once, by its own median, so that none of them decides alone, however
     * often it speaks. One sample alone has the accuracy of its tool around it.
     *
     * @return null if nothing is known
     */
    public Spread spread() {
        if (samples.size() == 1) {
            Sample one = samples.get(0);
            return new Spread(1, one.value() * (1 - Math.min(1, one.accuracy())), one.value(), one.value() * (1 + one.accuracy()));
        }
        Map<String, List<Double>> bySource = new LinkedHashMap<>();
        samples.forEach(each -> bySource.computeIfAbsent(each.source(), name -> new ArrayList<>()).add(each.value()));
        return bySource.size() < VOICES ? Spread.of(samples.stream().mapToDouble(Sample::value).toArray())
                : Spread.of(bySource.values().stream().mapToDouble(values -> Spread.of(values.stream().mapToDouble(Double::doubleValue).toArray()).median()).toArray());
    }

    /** Half of the width in which 68 of 100 samples lie; 0 if nothing is known. */
    double error() {
        Spread spread = spread();
        return spread == null ? 0 : (spread.high() - spread.low()) / 2;
    }

    /** A line for each sample: {@code throughput 80.2 Mbit/s by transfer of node-a, 12 s old}. */
    List<String> lines(long now) {
        return samples.stream().map(each -> metric + " " + Numbers.text(each.value(), 6) + (metric.unit().isEmpty() ? "" : " " + metric.unit()) + " by " + each.tool() + " of " + each.source()
                + ", " + (now - each.time()) / 1000 + " s old").toList();
    }
}
