package org.tamanoir.benchmarks.dyram.figures;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.report.Csv;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Target;

/** The figures of one run. */
public record Figures(List<Figure> figures) implements Outcome {
    /** How many seeds are averaged where nobody says. */
    public static final int SEEDS = 3;

    /**
     * One of the papers' figures.
     *
     * @param name        for files and rows
     * @param explanation for people: definitions, with {@code %n} at the ends of lines
     * @param rows        ours, the model's and the paper's numbers; {@link Row#streams} is where they are on the figure's axis
     * @param table       prints the numbers
     */
    record Figure(String name, String explanation, List<Row> rows, List<Target> targets, Chart chart, Consumer<PrintWriter> table) {
    }

    /**
     * Simulates everything that the figures need.
     *
     * @param seed  the first of the seeds: the same gives the same figures to the last digit
     * @param seeds how many are averaged
     */
    public static Figures run(long seed, int seeds, Consumer<String> progress) {
        return run("figure", seed, seeds, progress);
    }

    /** The same of those figures alone whose names begin so: {@code figure-12}. */
    public static Figures run(String name, long seed, int seeds, Consumer<String> progress) {
        Map<String, Function<Sessions, Figure>> all = new LinkedHashMap<>();
        all.put("figure-12a", sessions -> Figure12.completion(sessions, Figure12.PACKETS));
        all.put("figure-12b", Figure12::bandwidth);
        all.put("figure-13a", sessions -> new Figure13(sessions, "figure-13a", 0.25).figure());
        all.put("figure-13b", sessions -> new Figure13(sessions, "figure-13b", 0.5).figure());
        all.keySet().removeIf(each -> !each.startsWith(name));
        return run(List.copyOf(all.values()), seed, seeds, progress);
    }

    static Figures run(List<Function<Sessions, Figure>> figures, long seed, int seeds, Consumer<String> progress) {
        // Once without numbers, to hear which settings they ask for.
        Sessions asked = new Sessions(setting -> List.of());
        of(figures, asked);
        Sessions sessions = new Sessions(setting -> LongStream.range(seed, seed + seeds).mapToObj(one -> SimulatedSession.run(setting, one)).toList());
        sessions.simulate(asked, progress);
        return of(figures, sessions);
    }

    private static Figures of(List<Function<Sessions, Figure>> figures, Sessions sessions) {
        return new Figures(figures.stream().map(figure -> figure.apply(sessions)).toList());
    }

    @Override
    public List<Row> rows() {
        return figures.stream().flatMap(figure -> figure.rows.stream()).toList();
    }

    @Override
    public List<Target> targets() {
        return figures.stream().flatMap(figure -> figure.targets.stream()).toList();
    }

    @Override
    public List<String> failures() {
        return List.of();
    }

    @Override
    public void print(PrintWriter out) {
        figures.forEach(figure -> {
            out.printf("%n" + figure.explanation + "%n");
            figure.table.accept(out);
        });
    }

    /** A file of rows for each figure. */
    @Override
    public Map<String, String> csv() {
        return each(figure -> Csv.of(figure.rows));
    }

    @Override
    public Map<String, Chart> charts() {
        return each(Figure::chart);
    }

    private <T> Map<String, T> each(Function<Figure, T> what) {
        Map<String, T> all = new LinkedHashMap<>();
        figures.forEach(figure -> all.put(figure.name, what.apply(figure)));
        return all;
    }
}
