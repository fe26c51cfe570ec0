package org.tamanoir.benchmarks.cluster;

import java.io.PrintWriter;
import java.util.List;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Target;

/** What a part has found. */
public interface Outcome {
    List<Row> rows();

    List<Target> targets();

    /** Runs that gave no figure, each with the reason. */
    List<String> failures();

    /** For people, with the conditions. */
    void print(PrintWriter out);
}
