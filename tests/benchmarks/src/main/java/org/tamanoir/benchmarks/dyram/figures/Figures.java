package org.tamanoir.benchmarks.dyram.figures;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.report.Csv;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;

/** All the figures of one run. */
public final class Figures implements Outcome {
    /** How many seeds are averaged where nobody says. */
    public static final int SEEDS = 3;

    private static final List<Figure> ALL = List.of(new CompletionFigure(CompletionFigure.PACKETS), new BandwidthFigure(),
            new DelayFigure("figure-13a", 0.25), new DelayFigure("figure-13b", 0.5));

    private final List<Figure> figures;
    private final Sessions sessions;

    private Figures(List<Figure> figures, Sessions sessions) {
        this.figures = figures;
        this.sessions = sessions;
    }

    /**
     * Simulates everything that the figures need.
     *
     * @param seed  the first of the seeds: the same gives the same figures to the last digit
     * @param seeds how many are averaged
     */
    public static Figures run(long seed, int seeds, Consumer<String> progress) {
        return run(ALL, seed, seeds, progress);
    }

    /** The same of those figures alone whose names begin so: {@code figure-12}. */
    public static Figures run(String name, long seed, int seeds, Consumer<String> progress) {
        return run(ALL.stream().filter(figure -> figure.name().startsWith(name)).toList(), seed, seeds, progress);
    }

    static Figures run(List<Figure> figures, long seed, int seeds, Consumer<String> progress) {
        return new Figures(figures, Sessions.run(figures.stream().flatMap(figure -> figure.settings().stream()).toList(), seed, seeds, progress));
    }

    @Override
    public List<Row> rows() {
        return figures.stream().flatMap(figure -> figure.rows(sessions).stream()).toList();
    }

    @Override
    public List<Target> targets() {
        return figures.stream().flatMap(figure -> figure.targets(sessions).stream()).toList();
    }

    @Override
    public List<String> failures() {
        return List.of();
    }

    @Override
    public void print(PrintWriter out) {
        figures.forEach(figure -> {
            out.printf("%n" + figure.explanation() + "%n");
            figure.print(out, sessions);
        });
    }

    /** A file of rows for each figure. */
    @Override
    public Map<String, String> csv() {
        return each(figure -> Csv.of(figure.rows(sessions)));
    }

    @Override
    public Map<String, Chart> charts() {
        return each(figure -> figure.chart(sessions));
    }

    private <T> Map<String, T> each(Function<Figure, T> what) {
        Map<String, T> all = new LinkedHashMap<>();
        figures.forEach(figure -> all.put(figure.name(), what.apply(figure)));
        return all;
    }

    static Row modelRow(String figure, String series, int x, String metric, double value, String unit) {
        double rounded = Sessions.Estimate.round(value);
        return new Row(figure, "model: " + series, 0, x, metric, rounded, unit, 0, rounded, rounded);
    }

    /** One of the papers' figures. */
    interface Figure {
        /** For files and rows. */
        String name();

        /** Every session that it needs. */
        List<Setting> settings();

        /** Ours, the model's and the paper's numbers; {@link Row#streams} is where they are on the figure's axis. */
        List<Row> rows(Sessions sessions);

        List<Target> targets(Sessions sessions);

        /** For people: definitions, with {@code %n} at the ends of lines. */
        String explanation();

        /** Prints the numbers. */
        default void print(PrintWriter out, Sessions sessions) {
            Table.printCases(out, rows(sessions));
        }

        Chart chart(Sessions sessions);
    }
}
