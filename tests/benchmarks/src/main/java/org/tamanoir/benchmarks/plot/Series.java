package org.tamanoir.benchmarks.plot;

import java.util.TreeMap;

/**
 * A line.
 *
 * @param colour {@code #rrggbb}
 * @param dashed and without dots
 * @param points by x
 */
public record Series(String name, String colour, boolean dashed, TreeMap<Double, Double> points) {
    /** Without points yet. */
    public Series(String name, String colour, boolean dashed) {
        this(name, colour, dashed, new TreeMap<>());
    }

    public void add(double x, double y) {
        points.put(x, y);
    }
}
