package org.tamanoir.benchmarks.plot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.stream.DoubleStream;
import org.tamanoir.benchmarks.plot.SvgCanvas.Anchor;
import org.tamanoir.benchmarks.plot.SvgCanvas.Point;

/**
 * Lines over one axis: the legend stands beside them, notes below.
 *
 * @param series in the order of the legend; one of them has a point
 * @param marks  points with a cross
 */
public record Chart(String title, String xLabel, String yLabel, Axes axes, List<String> notes, List<Series> series, List<double[]> marks) {
    /** On a logarithmic axis twice as much is the same way everywhere; a linear one begins at 0. */
    public enum Axes {
        LINEAR, LOGARITHMIC_X, LOGARITHMIC
    }

    private static final int WIDTH = 860;
    private static final int LEFT = 76;
    private static final int RIGHT = 590;
    private static final int TOP = 46;
    private static final int BOTTOM = 376;
    private static final int NOTES = 436;
    private static final int LINE = 19;
    private static final int LEGEND = RIGHT + 24;
    private static final int SAMPLE = 30;
    private static final int CROSS = 7;
    private static final String GRID = "#dddddd";
    private static final String AXIS = "#555555";
    private static final String MARK = "#000000";
    private static final double[] STEPS = {1, 2, 2.5, 5, 10};
    private static final int MOST_STEPS = 8;
    private static final int MOST_TICKS = 24;
    private static final double FEW_POWERS = 1e3;
    /** What a product of powers of ten may be off. */
    private static final double ROUNDING = 1.0001;

    /** Without lines yet. */
    public Chart(String title, String xLabel, String yLabel, Axes axes, List<String> notes) {
        this(title, xLabel, yLabel, axes, notes, new ArrayList<>(), new ArrayList<>());
    }

    public void mark(double x, double y) {
        marks.add(new double[] {x, y});
    }

    public String svg() {
        SvgCanvas canvas = new SvgCanvas(WIDTH, height());
        draw(canvas);
        return canvas.svg();
    }

    /** Draws it. @param file as SVG; its folder is made if it is not there */
    public void write(Path file) {
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.writeString(file, svg());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }

    private int height() {
        return NOTES + LINE * notes.size();
    }

    private void draw(SvgCanvas canvas) {
        canvas.text(new Point(LEFT, TOP - 20), Anchor.START, title, true);
        axes(canvas);
        for (Series each : series) {
            List<Point> points = each.points().entrySet().stream().map(point -> new Point(x(point.getKey()), y(point.getValue()))).toList();
            canvas.path(points, each.colour(), each.dashed());
            if (!each.dashed()) {
                points.forEach(point -> canvas.dot(point, each.colour()));
            }
        }
        for (double[] mark : marks) {
            double x = x(mark[0]);
            double y = y(mark[1]);
            canvas.line(new Point(x - CROSS, y - CROSS), new Point(x + CROSS, y + CROSS), MARK, 2);
            canvas.line(new Point(x - CROSS, y + CROSS), new Point(x + CROSS, y - CROSS), MARK, 2);
        }
        for (int i = 0; i < series.size(); i++) {
            Series each = series.get(i);
            double y = TOP + 10 + i * (LINE + 4);
            canvas.path(List.of(new Point(LEGEND, y), new Point(LEGEND + SAMPLE, y)), each.colour(), each.dashed());
            canvas.text(new Point(LEGEND + SAMPLE + 8, y + 4), Anchor.START, each.name(), false);
        }
        for (int i = 0; i < notes.size(); i++) {
            canvas.text(new Point(LEFT, NOTES + LINE * i), Anchor.START, notes.get(i), false);
        }
    }

    private void axes(SvgCanvas canvas) {
        for (double value : heights()) {
            canvas.line(new Point(LEFT, y(value)), new Point(RIGHT, y(value)), value == bottom() ? AXIS : GRID, 1);
            canvas.text(new Point(LEFT - 8, y(value) + 4), Anchor.END, number(value), false);
        }
        canvas.line(new Point(LEFT, TOP), new Point(LEFT, BOTTOM), AXIS, 1);
        for (double value : ticks()) {
            canvas.line(new Point(x(value), BOTTOM), new Point(x(value), BOTTOM + 5), AXIS, 1);
            canvas.text(new Point(x(value), BOTTOM + 20), Anchor.MIDDLE, number(value), false);
        }
        canvas.text(new Point((LEFT + RIGHT) / 2.0, BOTTOM + 38), Anchor.MIDDLE, xLabel, false);
        canvas.upward(new Point(LEFT - 58, (TOP + BOTTOM) / 2.0), yLabel);
    }

    private static String number(double value) {
        String text = String.format(Locale.ROOT, "%.3f", value);
        return text.replaceAll("\\.?0+$", "");
    }

    /** Every x that has a point. */
    private TreeSet<Double> places() {
        TreeSet<Double> places = new TreeSet<>();
        series.forEach(each -> places.addAll(each.points().keySet()));
        return places;
    }

    /** Every place, or so many that can be read. */
    private TreeSet<Double> ticks() {
        TreeSet<Double> places = places();
        if (places.size() <= MOST_TICKS || axes != Axes.LINEAR) {
            return places;
        }
        TreeSet<Double> ticks = new TreeSet<>();
        double step = step(places.last());
        for (int i = 0; i * step <= places.last(); i++) {
            ticks.add(i * step);
        }
        return ticks;
    }

    /** Where lines stand for the axis of y: at every step, or at the powers of ten, and at 2 and 5 of each where there are few. */
    private List<Double> heights() {
        List<Double> heights = new ArrayList<>();
        if (axes != Axes.LOGARITHMIC) {
            double step = step(highest());
            for (int i = 0; i <= Math.round(top() / step); i++) {
                heights.add(i * step);
            }
            return heights;
        }
        int[] parts = top() / bottom() > FEW_POWERS ? new int[] {1} : new int[] {1, 2, 5};
        for (double power = bottom(); power <= top() * ROUNDING; power *= 10) {
            for (int part : parts) {
                if (power * part <= top() * ROUNDING) {
                    heights.add(power * part);
                }
            }
        }
        return heights;
    }

    private DoubleStream values() {
        return series.stream().flatMap(each -> each.points().values().stream()).mapToDouble(Double::doubleValue);
    }

    private double highest() {
        return values().max().orElse(1);
    }

    private static double step(double highest) {
        double power = Math.pow(10, Math.floor(Math.log10(highest / MOST_STEPS)));
        for (double part : STEPS) {
            if (highest / (part * power) <= MOST_STEPS) {
                return part * power;
            }
        }
        throw new IllegalArgumentException("no axis to " + highest);
    }

    private double bottom() {
        return axes == Axes.LOGARITHMIC ? Math.pow(10, Math.floor(Math.log10(values().min().orElse(1)))) : 0;
    }

    private double top() {
        if (axes == Axes.LOGARITHMIC) {
            return Math.max(10 * bottom(), Math.pow(10, Math.ceil(Math.log10(highest()))));
        }
        double step = step(highest());
        return Math.ceil(highest() / step) * step;
    }

    private double x(double value) {
        double least = places().first();
        double most = places().last();
        double part = axes == Axes.LINEAR ? value / most : Math.log(value / least) / Math.log(most / least);
        return LEFT + (RIGHT - LEFT) * part;
    }

    private double y(double value) {
        double part = axes == Axes.LOGARITHMIC ? Math.log(value / bottom()) / Math.log(top() / bottom()) : value / top();
        return BOTTOM - (BOTTOM - TOP) * part;
    }
}
