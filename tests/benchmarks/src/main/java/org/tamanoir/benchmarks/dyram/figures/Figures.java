package org.tamanoir.benchmarks.dyram.figures;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.dyram.figures.plot.Chart;
import org.tamanoir.benchmarks.report.Machine;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Target;

/** All the figures of one run. */
public final class Figures {
    /** How many seeds are averaged where nobody says. */
    public static final int SEEDS = 3;

    private static final List<Figure> ALL = List.of(new CompletionFigure(), new BandwidthFigure(), new DelayFigure("figure-13a", 0.25),
            new DelayFigure("figure-13b", 0.5));

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

    static Figures run(List<Figure> figures, long seed, int seeds, Consumer<String> progress) {
        Set<Setting> settings = new LinkedHashSet<>();
        figures.forEach(figure -> settings.addAll(figure.settings()));
        return new Figures(figures, Sessions.run(settings, seed, seeds, progress));
    }

    public Report report() {
        List<Row> rows = new ArrayList<>();
        List<Target> targets = new ArrayList<>();
        for (Figure figure : figures) {
            rows.addAll(figure.rows(sessions));
            targets.addAll(figure.targets(sessions));
        }
        return new Report(Machine.describe(), rows, targets, List.of());
    }

    public void printTable(PrintWriter out) {
        figures.forEach(figure -> figure.print(out, sessions));
    }

    /** Writes a file of rows for each figure into a folder, which is made if it is not there. */
    public void writeCsv(Path folder) {
        for (Figure figure : figures) {
            write(folder, figure.name() + ".csv", Csv.of(figure.rows(sessions)).getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Draws each figure into a folder, as SVG and as PNG. */
    public void plot(Path folder) {
        for (Figure figure : figures) {
            Chart chart = figure.chart(sessions);
            write(folder, figure.name() + ".svg", chart.svg().getBytes(StandardCharsets.UTF_8));
            write(folder, figure.name() + ".png", chart.png());
        }
    }

    private static void write(Path folder, String name, byte[] content) {
        try {
            Files.createDirectories(folder);
            Files.write(folder.resolve(name), content);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + folder.resolve(name), e);
        }
    }

    static Row modelRow(String figure, String series, int x, String metric, double value, String unit) {
        double rounded = Estimate.round(value);
        return new Row(figure, "model: " + series, 0, x, metric, rounded, unit, 0, rounded, rounded);
    }
}
