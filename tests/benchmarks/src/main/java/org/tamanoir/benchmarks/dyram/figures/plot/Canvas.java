package org.tamanoir.benchmarks.dyram.figures.plot;

import java.util.List;

/** What a chart is drawn on. Pixels count from the upper left corner; colours are {@code #rrggbb}. */
interface Canvas {
    /** Where a text's position is. */
    enum Anchor { START, MIDDLE, END }

    /** A pair of pixels. */
    record Point(double x, double y) {
    }

    void line(Point from, Point to, String colour, double width);

    void path(List<Point> points, String colour, boolean dashed);

    void dot(Point at, String colour);

    /** @param at its anchor, on the base line */
    void text(Point at, Anchor anchor, String text, boolean bold);

    /** From bottom to top, its middle here. */
    void upward(Point at, String text);
}
