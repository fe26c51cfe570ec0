package org.tamanoir.benchmarks.report;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The result of a bench.
 *
 * @param machine  what it ran on, by name
 * @param rows     every figure
 * @param targets  the figures that were asked for
 * @param failures runs that gave no figure, and whatever else went wrong, each with the reason; empty if all is well
 */
public record Report(Map<String, String> machine, List<Row> rows, List<Target> targets, List<String> failures) {
    /** The same with what else was measured on this machine. */
    public Report and(List<Row> moreRows, List<Target> moreTargets, List<String> moreFailures) {
        return new Report(machine, both(rows, moreRows), both(targets, moreTargets), both(failures, moreFailures));
    }

    private static <T> List<T> both(List<T> one, List<T> other) {
        return Stream.concat(one.stream(), other.stream()).toList();
    }
}
