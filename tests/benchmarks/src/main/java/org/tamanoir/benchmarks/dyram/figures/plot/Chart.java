package org.tamanoir.benchmarks.dyram.figures.plot;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import org.tamanoir.benchmarks.dyram.figures.plot.Canvas.Anchor;
import org.tamanoir.benchmarks.dyram.figures.plot.Canvas.Point;

/**
 * Lines over one axis: the legend stands beside them, notes below.
 *
 * @param logarithmic whether twice as much is the same way everywhere on the axis of x; the axis of y is linear and begins at 0
 * @param series      in the order of the legend
 * @param marks       points with a cross
 */
public record Chart(String title, String xLabel, String yLabel, boolean logarithmic, List<String> notes, List<Series> series,
        List<double[]> marks) {
    private static final int WIDTH = 860;
    private static final int LEFT = 66;
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
    private static final double[] STEPS = {0.1, 0.2, 0.25, 0.5, 1, 2, 2.5, 5, 10, 20, 25, 50, 100, 200};
    private static final int MOST_STEPS = 8;
    private static final int MOST_TICKS = 24;

    /** Without lines yet. */
    public Chart(String title, String xLabel, String yLabel, boolean logarithmic, List<String> notes) {
        this(title, xLabel, yLabel, logarithmic, notes, new ArrayList<>(), new ArrayList<>());
    }

    public void mark(double x, double y) {
        marks.add(new double[] {x, y});
    }

    public String svg() {
        SvgCanvas canvas = new SvgCanvas(WIDTH, height());
        draw(canvas);
        return canvas.svg();
    }

    public byte[] png() {
        ImageCanvas canvas = new ImageCanvas(WIDTH, height());
        draw(canvas);
        return canvas.png();
    }

    private int height() {
        return NOTES + LINE * notes.size();
    }

    private void draw(Canvas canvas) {
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

    private void axes(Canvas canvas) {
        double step = step();
        for (double value = 0; value <= top() + step / 2; value += step) {
            canvas.line(new Point(LEFT, y(value)), new Point(RIGHT, y(value)), value == 0 ? AXIS : GRID, 1);
            canvas.text(new Point(LEFT - 8, y(value) + 4), Anchor.END, number(value), false);
        }
        canvas.line(new Point(LEFT, TOP), new Point(LEFT, BOTTOM), AXIS, 1);
        for (double value : ticks()) {
            canvas.line(new Point(x(value), BOTTOM), new Point(x(value), BOTTOM + 5), AXIS, 1);
            canvas.text(new Point(x(value), BOTTOM + 20), Anchor.MIDDLE, number(value), false);
        }
        canvas.text(new Point((LEFT + RIGHT) / 2.0, BOTTOM + 38), Anchor.MIDDLE, xLabel, false);
        canvas.upward(new Point(LEFT - 44, (TOP + BOTTOM) / 2.0), yLabel);
    }

    private static String number(double value) {
        String text = String.format(Locale.ROOT, "%.2f", value);
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
        if (places.size() <= MOST_TICKS || logarithmic) {
            return places;
        }
        TreeSet<Double> ticks = new TreeSet<>();
        double step = step(places.last());
        for (int i = 0; i * step <= places.last(); i++) {
            ticks.add(i * step);
        }
        return ticks;
    }

    private double highest() {
        return series.stream().flatMap(each -> each.points().values().stream()).mapToDouble(Double::doubleValue).max().orElse(1);
    }

    private double step() {
        return step(highest());
    }

    private static double step(double highest) {
        for (double step : STEPS) {
            if (highest / step <= MOST_STEPS) {
                return step;
            }
        }
        return STEPS[STEPS.length - 1];
    }

    private double top() {
        return Math.ceil(highest() / step()) * step();
    }

    private double x(double value) {
        double least = places().first();
        double most = places().last();
        double part = logarithmic ? Math.log(value / least) / Math.log(most / least) : value / most;
        return LEFT + (RIGHT - LEFT) * part;
    }

    private double y(double value) {
        return BOTTOM - (BOTTOM - TOP) * value / top();
    }
}
