package org.tamanoir.benchmarks.dyram.figures;

import java.io.PrintWriter;
import java.util.List;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Target;

/** One of the papers' figures. */
interface Figure {
    /** For files and rows. */
    String name();

    /** Every session that it needs. */
    List<Setting> settings();

    /** Ours, the model's and the paper's numbers; {@link Row#streams} is where they are on the figure's axis. */
    List<Row> rows(Sessions sessions);

    List<Target> targets(Sessions sessions);

    /** For people, with the definitions. */
    void print(PrintWriter out, Sessions sessions);

    Chart chart(Sessions sessions);
}
