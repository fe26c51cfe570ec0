package org.tamanoir.benchmarks.plot;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** What a chart is drawn on. Pixels count from the upper left corner; colours are {@code #rrggbb}. */
final class SvgCanvas {
    /** Where a text's position is. */
    enum Anchor { START, MIDDLE, END }

    /** A pair of pixels. */
    record Point(double x, double y) {
    }

    private final StringBuilder svg = new StringBuilder();

    SvgCanvas(int width, int height) {
        add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
                + "font-size=\"13\">", width, height, width, height);
        add("<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
    }

    private void add(String format, Object... arguments) {
        svg.append(String.format(Locale.ROOT, format, arguments)).append('\n');
    }

    void line(Point from, Point to, String colour, double width) {
        add("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"%.1f\"/>", from.x(), from.y(), to.x(),
                to.y(), colour,
                width);
    }

    void path(List<Point> points, String colour, boolean dashed) {
        add("<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s/>", points.stream()
                .map(point -> String.format(Locale.ROOT, "%.1f,%.1f", point.x(), point.y())).collect(Collectors.joining(" ")), colour,
                dashed ? " stroke-dasharray=\"7 5\"" : "");
    }

    void dot(Point at, String colour) {
        add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>", at.x(), at.y(), colour);
    }

    /** @param at its anchor, on the base line */
    void text(Point at, Anchor anchor, String text, boolean bold) {
        add("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>%s</text>", at.x(), at.y(), anchor.name().toLowerCase(Locale.ROOT),
                bold ? " font-weight=\"bold\"" : "", escaped(text));
    }

    /** From bottom to top, its middle here. */
    void upward(Point at, String text) {
        add("<text transform=\"translate(%.1f %.1f) rotate(-90)\" text-anchor=\"middle\">%s</text>", at.x(), at.y(), escaped(text));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }

    String svg() {
        return svg + "</svg>\n";
    }
}
