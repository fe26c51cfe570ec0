package org.tamanoir.benchmarks.report;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * Figures for people: a line for each case, a column for each metric.
 *
 * @param <L> what a line is about
 */
public final class Table<L> {
    private static final int LEAST_WIDTH = 9;

    private record Column<L>(String heading, Function<L, String> text) {
        int width() {
            return Math.max(LEAST_WIDTH, heading.length());
        }
    }

    private final String title;
    private final Function<L, String> name;
    private final List<Column<L>> columns = new ArrayList<>();

    /** @param title stands over the names of the lines @param name of a line */
    public Table(String title, Function<L, String> name) {
        this.title = title;
        this.name = name;
    }

    /** A column of any text. */
    public Table<L> text(String heading, Function<L, String> text) {
        columns.add(new Column<>(heading, text));
        return this;
    }

    /** A column of numbers; a null is a dash. @param format of one, {@code "%,.0f"} */
    public Table<L> number(String heading, String format, Function<L, Double> value) {
        return text(heading, line -> Samples.text(format, value.apply(line)));
    }

    /** A column of medians. @param format of one, {@code "%,.0f"} */
    public Table<L> median(String heading, String format, Samples samples, Function<L, Samples.Key> key) {
        return number(heading, format, line -> samples.median(key.apply(line)));
    }

    /** Prints it after an empty line; nothing if there is no line. */
    public void print(PrintWriter out, List<? extends L> lines) {
        if (lines.isEmpty()) {
            return;
        }
        int first = Math.max(title.length(), lines.stream().mapToInt(line -> name.apply(line).length() + 2).max().orElse(0));
        StringBuilder text = new StringBuilder(String.format("%n%-" + first + "s", title));
        columns.forEach(column -> text.append(String.format("  %" + column.width() + "s", column.heading)));
        for (L line : lines) {
            text.append(String.format("%n  %-" + (first - 2) + "s", name.apply(line)));
            columns.forEach(column -> text.append(String.format("  %" + column.width() + "s", column.text.apply(line))));
        }
        out.println(text);
    }

    /** Prints a line for each row, with its least and greatest value. */
    public static void printRanges(PrintWriter out, List<? extends Row> rows) {
        new Table<Row>("figure", row -> String.join(", ", row.benchCase(), row.system(), row.metric()))
                .number("median", "%,.2f", Row::value).number("least", "%,.2f", Row::low).number("most", "%,.2f", Row::high)
                .text("unit", Row::unit).number("runs", "%.0f", row -> (double) row.runs()).print(out, rows);
    }

    /** Prints rows as they are: a table for each case, a line for each system with its packet and streams, a column for each metric. */
    public static void printCases(PrintWriter out, List<Row> rows) {
        Map<String, Map<String, Map<String, Row>>> cases = new LinkedHashMap<>();
        for (Row row : rows) {
            String line = row.system() + (row.packet() > 0 ? ", " + row.packet() + " octets" : "") + (row.streams() > 0 ? ", " + row.streams() : "");
            cases.computeIfAbsent(row.benchCase(), unused -> new LinkedHashMap<>()).computeIfAbsent(line, unused -> new LinkedHashMap<>())
                    .put(row.metric() + (row.unit().equals("ratio") || row.unit().isEmpty() ? "" : ", " + row.unit()), row);
        }
        cases.forEach((title, lines) -> {
            Table<String> table = new Table<>(title, line -> line);
            lines.values().stream().flatMap(line -> line.keySet().stream()).distinct().forEach(metric -> table.text(metric, line -> {
                Row row = lines.get(line).get(metric);
                return row == null ? "" : String.format(Locale.ROOT, Math.abs(row.value()) >= 1000 ? "%,.0f" : "%.4g", row.value());
            }));
            table.print(out, List.copyOf(lines.keySet()));
        });
    }
}
