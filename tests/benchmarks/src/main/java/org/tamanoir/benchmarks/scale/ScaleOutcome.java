package org.tamanoir.benchmarks.scale;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.report.Csv;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;

/** The values of one part. The size stands in the column {@code streams} of the rows. */
final class ScaleOutcome implements Outcome {
    private final String name;
    private final String title;
    private final List<Integer> sizes;
    private final Samples samples = new Samples();
    private final List<String> failures = new ArrayList<>();

    ScaleOutcome(String name, String title, List<Integer> sizes) {
        this.name = name;
        this.title = title;
        this.sizes = sizes;
    }

    void add(int size, Metric metric, double value) {
        samples.add(key(size, metric), value);
    }

    void failed(String why) {
        failures.add("scale, " + why);
    }

    private Key key(int size, Metric metric) {
        return new Key("scale-" + name, "node", 0, size, metric.toString(), metric.unit());
    }

    @Override
    public List<Row> rows() {
        return samples.rows();
    }

    @Override
    public List<String> failures() {
        return List.copyOf(failures);
    }

    @Override
    public void print(PrintWriter out) {
        List<Metric> measured = Arrays.stream(Metric.values()).filter(metric -> sizes.stream().anyMatch(size -> samples.median(key(size, metric)) != null)).toList();
        out.printf("%n%-38s %s%n", title, measured.stream().map(metric -> String.format(Locale.ROOT, "%18s", metric + ", " + metric.unit())).collect(Collectors.joining(" ")));
        for (int size : sizes) {
            out.printf("%-38d %s%n", size, measured.stream().map(metric -> String.format(Locale.ROOT, "%18s", text(samples.median(key(size, metric))))).collect(Collectors.joining(" ")));
        }
    }

    private static String text(Double value) {
        return value == null ? "-" : String.format(Locale.ROOT, value < 10 ? "%.2f" : "%,.0f", value);
    }

    @Override
    public Map<String, String> csv() {
        return Map.of("scale-" + name, Csv.of(rows()));
    }
}
