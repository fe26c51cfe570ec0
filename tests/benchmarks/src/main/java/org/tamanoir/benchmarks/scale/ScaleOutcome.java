package org.tamanoir.benchmarks.scale;

import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;

/** The values of one part. The size stands in the column {@code streams} of the rows. */
final class ScaleOutcome extends MeasuredOutcome {
    /** What is measured of every size. */
    enum Metric {
        /** Eight streams of 8,192 octets at once, at the receiver. */
        THROUGHPUT("throughput", "Gbit/s"),
        /** Of all nodes on the way, for what has passed. */
        CPU("cpu", "s/GB"),
        /** Of 64 octets on one stream, the median. */
        TRIP("round-trip", "us"),
        /** Of new streams on open connections, the median. */
        FIRST_OCTET("first-octet", "us"),
        /** Memory of all nodes when everything has been measured. */
        RESIDENT("resident", "MB"),
        /** The same at its highest while the eight streams ran. */
        PEAK("peak", "MB"),
        /** From the start of the process. */
        READY("ready", "s"),
        /** For each of what there is many of. */
        MAKING("making", "ms");

        private final String title;
        private final String unit;

        Metric(String title, String unit) {
            this.title = title;
            this.unit = unit;
        }
    }

    private final String name;
    private final String title;
    private final List<Integer> sizes;

    ScaleOutcome(String name, String title, List<Integer> sizes, Measurements measured) {
        super("scale-" + name, measured);
        this.name = name;
        this.title = title;
        this.sizes = sizes;
    }

    void add(int size, Metric metric, double value) {
        measured.add(key(size, metric), value);
    }

    private Key key(int size, Metric metric) {
        return new Key("scale-" + name, "node", 0, size, metric.title, metric.unit);
    }

    @Override
    public void print(PrintWriter out) {
        Table<Integer> table = new Table<>(title, size -> Integer.toString(size));
        Arrays.stream(Metric.values()).filter(metric -> sizes.stream().anyMatch(size -> samples().median(key(size, metric)) != null))
                .forEach(metric -> table.text(metric.title + ", " + metric.unit, size -> text(samples().median(key(size, metric)))));
        table.print(out, sizes);
    }

    private static String text(Double value) {
        return value == null ? "-" : String.format(Locale.ROOT, value < 10 ? "%.2f" : "%,.0f", value);
    }
}
