package org.tamanoir.benchmarks.plot;

import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import de.erichseifert.vectorgraphics2d.svg.SVGProcessor;
import de.erichseifert.vectorgraphics2d.util.PageSize;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Rectangle;
import java.awt.Shape;
import java.awt.Stroke;
import java.awt.geom.Ellipse2D;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.LogAxis;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.NumberTickUnit;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.block.BlockBorder;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.chart.title.TextTitle;
import org.jfree.chart.ui.RectangleEdge;
import org.jfree.chart.util.ShapeUtils;
import org.jfree.data.xy.XYSeries;
import org.jfree.data.xy.XYSeriesCollection;

/**
 * Lines over one axis, drawn by JFreeChart as SVG.
 *
 * @param notes  stand below the axis
 * @param series in the order of the legend; one of them has a point
 * @param marks  points with a cross, by the name that the legend gives them
 */
public record Chart(String title, String xLabel, String yLabel, Axes axes, List<String> notes, List<Series> series, Map<String, TreeMap<Double, Double>> marks) {
    /** A linear axis begins at 0. */
    public enum Axes {
        LINEAR, LOGARITHMIC_X, LOGARITHMIC
    }

    private static final int WIDTH = 860;
    private static final int HEIGHT = 430;
    private static final int NOTE = 16;
    private static final Stroke LINE = new BasicStroke(2);
    private static final Stroke DASHED = new BasicStroke(2, BasicStroke.CAP_BUTT, BasicStroke.JOIN_MITER, 10, new float[] {7, 5}, 0);
    private static final Shape DOT = new Ellipse2D.Double(-3, -3, 6, 6);
    private static final Shape CROSS = ShapeUtils.createDiagonalCross(5, 1);

    /** Without lines yet. */
    public Chart(String title, String xLabel, String yLabel, Axes axes, List<String> notes) {
        this(title, xLabel, yLabel, axes, notes, new ArrayList<>(), new LinkedHashMap<>());
    }

    /** A line of the chart. @param colour {@code #rrggbb} @param dashed and without dots */
    public Series line(String name, String colour, boolean dashed) {
        Series line = new Series(name, colour, dashed);
        series.add(line);
        return line;
    }

    /** A cross. @param name of all crosses, in the legend */
    public void mark(String name, double x, double y) {
        marks.computeIfAbsent(name, unused -> new TreeMap<>()).put(x, y);
    }

    /** @param file as SVG; its folder is made if it is not there */
    public void write(Path file) {
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            VectorGraphics2D graphics = new VectorGraphics2D();
            int height = HEIGHT + NOTE * notes.size();
            draw().draw(graphics, new Rectangle(WIDTH, height));
            try (OutputStream out = Files.newOutputStream(file)) {
                new SVGProcessor().getDocument(graphics.getCommands(), new PageSize(WIDTH, height)).writeTo(out);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }

    private JFreeChart draw() {
        XYSeriesCollection lines = new XYSeriesCollection();
        XYLineAndShapeRenderer renderer = new XYLineAndShapeRenderer();
        List<Series> all = new ArrayList<>(series);
        marks.forEach((name, points) -> all.add(new Series(name, "#000000", false, points)));
        for (int i = 0; i < all.size(); i++) {
            Series each = all.get(i);
            boolean mark = i >= series.size();
            XYSeries line = new XYSeries(each.name());
            each.points().forEach(line::add);
            lines.addSeries(line);
            renderer.setSeriesPaint(i, Color.decode(each.colour()));
            renderer.setSeriesShape(i, mark ? CROSS : DOT);
            renderer.setSeriesLinesVisible(i, !mark);
            renderer.setSeriesShapesVisible(i, !each.dashed());
            renderer.setSeriesStroke(i, each.dashed() ? DASHED : LINE);
        }
        XYPlot plot = new XYPlot(lines, axis(xLabel, axes == Axes.LINEAR ? 0 : 2), axis(yLabel, axes == Axes.LOGARITHMIC ? 10 : 0), renderer);
        plot.setBackgroundPaint(Color.WHITE);
        plot.setDomainGridlinePaint(Color.LIGHT_GRAY);
        plot.setRangeGridlinePaint(Color.LIGHT_GRAY);
        JFreeChart chart = new JFreeChart(title, new Font(Font.SANS_SERIF, Font.BOLD, 14), plot, true);
        chart.setBackgroundPaint(Color.WHITE);
        chart.getLegend().setPosition(RectangleEdge.RIGHT);
        chart.getLegend().setFrame(BlockBorder.NONE);
        // What is added first stands lowest.
        for (int i = notes.size() - 1; i >= 0; i--) {
            TextTitle note = new TextTitle(notes.get(i), new Font(Font.SANS_SERIF, Font.PLAIN, 12));
            note.setPosition(RectangleEdge.BOTTOM);
            chart.addSubtitle(note);
        }
        return chart;
    }

    /** @param base of its logarithm; 0: it is linear, and begins at 0 */
    private static ValueAxis axis(String label, double base) {
        DecimalFormat numbers = new DecimalFormat("#,##0.###", DecimalFormatSymbols.getInstance(Locale.ROOT));
        if (base == 0) {
            NumberAxis axis = new NumberAxis(label);
            axis.setNumberFormatOverride(numbers);
            return axis;
        }
        LogAxis axis = new LogAxis(label);
        axis.setBase(base);
        axis.setTickUnit(new NumberTickUnit(1), true, false);
        axis.setNumberFormatOverride(numbers);
        return axis;
    }

    /**
     * A line.
     *
     * @param colour {@code #rrggbb}
     * @param dashed and without dots
     * @param points by x
     */
    public record Series(String name, String colour, boolean dashed, TreeMap<Double, Double> points) {
        /** Without points yet. */
        public Series(String name, String colour, boolean dashed) {
            this(name, colour, dashed, new TreeMap<>());
        }

        public void add(double x, double y) {
            points.put(x, y);
        }
    }
}
