package org.tamanoir.benchmarks.report;

import java.util.List;
import java.util.Map;

/**
 * The result of a bench.
 *
 * @param machine  what it ran on, by name
 * @param rows     every figure
 * @param targets  the figures that were asked for
 * @param failures runs that gave no figure, and whatever else went wrong, each with the reason; empty if all is well
 */
public record Report(Map<String, String> machine, List<Row> rows, List<Target> targets, List<String> failures) {
}
