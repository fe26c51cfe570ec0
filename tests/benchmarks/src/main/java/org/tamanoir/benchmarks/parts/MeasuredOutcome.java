package org.tamanoir.benchmarks.parts;

import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import org.tamanoir.benchmarks.report.Csv;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Table;

/** What has been found is samples: the rows are theirs, and are what people and files get unless a bench has more to say. */
public abstract class MeasuredOutcome implements Outcome {
    /** Everything that was measured. */
    protected final Measurements measured;
    private final String name;

    /** @param name of the file for {@code --csv} */
    protected MeasuredOutcome(String name, Measurements measured) {
        this.name = name;
        this.measured = measured;
    }

    /** The figures. */
    protected final Samples samples() {
        return measured.samples();
    }

    @Override
    public List<Row> rows() {
        return samples().rows();
    }

    @Override
    public final List<String> failures() {
        return measured.failures();
    }

    @Override
    public void print(PrintWriter out) {
        Table.printCases(out, rows());
    }

    @Override
    public Map<String, String> csv() {
        return Map.of(name, Csv.of(rows()));
    }
}
