package org.tamanoir.benchmarks.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Collects the values of the runs, by what was measured, and makes rows of them. */
public class Samples {
    /** What was measured; see {@link Row}. */
    public record Key(String benchCase, String system, int packet, int streams, String metric, String unit) {
    }

    private final Map<Key, List<Double>> values = new LinkedHashMap<>();

    public void add(Key key, double value) {
        values.computeIfAbsent(key, unused -> new ArrayList<>()).add(value);
    }

    /** The values in the order in which they came; empty if there are none. */
    public List<Double> of(Key key) {
        return List.copyOf(values.getOrDefault(key, List.of()));
    }

    /** The median, or null if there is no value. */
    public Double median(Key key) {
        List<Double> of = values.get(key);
        return of == null ? null : median(of);
    }

    /** The median; of an even number of values the mean of the middle two. */
    public static double median(List<Double> values) {
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** A median for people; a dash where there is none. @param format of it, {@code "%.2f"} */
    public static String text(String format, Double median) {
        return median == null ? "-" : String.format(Locale.ROOT, format, median);
    }

    /** A row for each key, in the order in which they were first seen. */
    public List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        values.forEach((key, of) -> {
            double[] sorted = of.stream().mapToDouble(Double::doubleValue).sorted().toArray();
            rows.add(new Row(key.benchCase, key.system, key.packet, key.streams, key.metric, round(median(of)), key.unit, of.size(),
                    round(sorted[0]), round(sorted[sorted.length - 1])));
        });
        return rows;
    }

    /** Four significant digits: no run is more exact. */
    static double round(double value) {
        if (value == 0 || Double.isNaN(value) || Double.isInfinite(value)) {
            return value;
        }
        double scale = Math.pow(10, 3 - Math.floor(Math.log10(Math.abs(value))));
        return Math.round(value * scale) / scale;
    }
}
