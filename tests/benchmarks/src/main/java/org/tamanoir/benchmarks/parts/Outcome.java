package org.tamanoir.benchmarks.parts;

import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Target;

/** What a {@link Part} has found. */
public interface Outcome {
    List<Row> rows();

    /** What was asked for; nothing, if it only shows. */
    default List<Target> targets() {
        return List.of();
    }

    /** Runs that gave no figure, each with the reason. */
    List<String> failures();

    /** What its figures depend on beside the machine, such as versions of peers, by name. */
    default Map<String, String> conditions() {
        return Map.of();
    }

    /** For people, with definitions and conditions. */
    void print(PrintWriter out);

    /** Comma-separated values (RFC 4180), a header first, by the name of the file without {@code .csv}. */
    default Map<String, String> csv() {
        return Map.of();
    }

    /** By the name of the file without {@code .svg}. */
    default Map<String, Chart> charts() {
        return Map.of();
    }
}
