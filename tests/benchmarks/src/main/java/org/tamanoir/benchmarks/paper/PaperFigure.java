package org.tamanoir.benchmarks.paper;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.report.Csv;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Target;

/**
 * One figure, or the table, measured again.
 *
 * @param name      {@code fig8}, {@code table1}
 * @param title     what it shows
 * @param rows      what was measured
 * @param targets   what the bench behind it asks for
 * @param failures  runs that gave no figure, each with the reason
 * @param table     prints the rows for people
 * @param charts    by the name of the file without {@code .svg}
 * @param besides   the numbers of 2003 with ours
 * @param different how what was measured in 2003 differs from what is measured here
 */
record PaperFigure(String name, String title, List<Row> rows, List<Target> targets, List<String> failures, Consumer<PrintWriter> table, Map<String, Chart> charts,
        List<Beside> besides, String different) implements Outcome {
    /** Characters in a line of a page. */
    private static final int WIDTH = 120;

    /**
     * A number, then and now.
     *
     * @param what was measured
     * @param then as the paper says it
     * @param here the same of this run, with its unit; {@link #NONE} if this run has no figure of it
     */
    record Beside(String what, String then, String here) {
        static final String NONE = "no figure";
    }

    PaperFigure named(String newName, String newTitle) {
        return new PaperFigure(newName, newTitle, rows, targets, failures, table, charts, besides, different);
    }

    /** What could not be measured at all, without its name. */
    static PaperFigure failed(String why) {
        return new PaperFigure("", "", List.of(), List.of(), List.of(why), out -> { }, Map.of(), List.of(), "");
    }

    /** What another bench has found, without its name. */
    static PaperFigure of(Outcome found, Map<String, Chart> charts, List<Beside> besides, String different) {
        return new PaperFigure("", "", found.rows(), found.targets(), found.failures(), found::print, charts, besides, different);
    }

    /** The same; its targets are those of another question than the paper's, and left out. */
    static PaperFigure of(Report found, Consumer<PrintWriter> table, Map<String, Chart> charts, List<Beside> besides, String different) {
        return new PaperFigure("", "", found.rows(), List.of(), found.failures(), table, charts, besides, different);
    }

    /** The value of the row that was measured so; see {@link Row}. */
    static Optional<Double> value(List<Row> rows, String benchCase, String system, int packet, int streams, String metric) {
        return rows.stream().filter(row -> row.benchCase().equals(benchCase) && row.system().equals(system) && row.packet() == packet && row.streams() == streams
                && row.metric().equals(metric)).map(Row::value).findFirst();
    }

    /** A value for people. @param format of it and its unit, {@code "%.0f Mbit/s"} */
    static String text(String format, Optional<Double> value) {
        return value.map(number -> String.format(Locale.ROOT, format, number)).orElse(Beside.NONE);
    }

    @Override
    public void print(PrintWriter out) {
        out.printf("%n== %s: %s ==%n", name, title);
        table.accept(out);
        out.println();
        for (Beside beside : besides) {
            out.printf("  %-66s 2003: %-26s here: %s%n", beside.what(), beside.then(), beside.here());
        }
        if (!different.isEmpty()) {
            out.printf("  Different: %s%n", different);
        }
    }

    @Override
    public Map<String, String> csv() {
        return rows.isEmpty() ? Map.of() : Map.of(name, Csv.of(rows));
    }

    /** Its part of a page in Markdown. @param folder of the charts with a slash behind it, or nothing for the page's own @param conditions of the run, a sentence */
    String markdown(String folder, String conditions) {
        StringBuilder text = new StringBuilder("### " + name.replace("fig", "Figure ").replace("table", "Table ") + ": " + title + "\n\n");
        if (!besides.isEmpty()) {
            text.append("| | 2003 | Here |\n|---|---|---|\n");
            besides.forEach(beside -> text.append("| ").append(beside.what()).append(" | ").append(beside.then()).append(" | ").append(beside.here()).append(" |\n"));
            text.append('\n');
        }
        Stream.concat(Stream.of((different.isEmpty() ? "" : "Different: " + different + " ") + "Here: " + conditions), failures.stream().map(each -> "Failed: " + each))
                .forEach(each -> text.append(each.replaceAll("(.{1," + WIDTH + "})(?: +|$)", "$1\n")).append('\n'));
        charts.forEach((file, chart) -> text.append("![").append(chart.title()).append("](").append(folder).append(file).append(".svg)\n\n"));
        return text.toString();
    }
}
