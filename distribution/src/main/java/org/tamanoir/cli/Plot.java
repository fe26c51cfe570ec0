package org.tamanoir.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;

/** Draws values over time in plain characters, for any terminal: the largest of each column, and a gap where nothing is known. */
final class Plot {
    static final int COLUMNS = 60;
    static final int ROWS = 5;

    private final String title;
    private final double span;

    /** @param last how far back it goes */
    Plot(String title, Duration last) {
        this.title = title;
        this.span = last.toNanos() / 1e9;
    }

    /** A stream: what it has carried in Mbit/s, and behind the node the congestion window in kB and the round trip in ms. */
    static void stream(Duration last, double[] ago, double[] rates, double[] windows, double[] trips, PrintWriter out) {
        new Plot("rate, Mbit/s", last).draw(ago, rates, out);
        new Plot("congestion window behind the node, kB", last).draw(ago, windows, out);
        new Plot("round trip behind the node, ms", last).draw(ago, trips, out);
    }

    /**
     * Draws.
     *
     * @param ago    seconds, the oldest first
     * @param values not negative, one for each
     */
    void draw(double[] ago, double[] values, PrintWriter out) {
        double oldest = Math.min(span, ago.length == 0 ? 0 : ago[0]);
        if (oldest <= 0) {
            return;
        }
        double[] highest = columns(ago, values, oldest);
        double most = 0;
        for (double value : highest) {
            most = Math.max(most, Double.isNaN(value) ? 0 : value);
        }
        out.println();
        out.println(title);
        for (int row = ROWS; row > 0; row--) {
            StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%10s |", row == ROWS ? number(most) : row == 1 ? "0" : ""));
            for (double value : highest) {
                line.append(Double.isNaN(value) ? ' ' : character(value, most, row));
            }
            out.println(line.toString().stripTrailing());
        }
        String from = String.format(Locale.ROOT, "%s ago", Units.millis(Math.round(oldest * 1000)));
        out.println(" ".repeat(11) + "+" + "-".repeat(COLUMNS));
        out.println(" ".repeat(12) + from + " ".repeat(Math.max(1, COLUMNS - from.length() - 3)) + "now");
    }

    private static double[] columns(double[] ago, double[] values, double oldest) {
        double[] highest = new double[COLUMNS];
        Arrays.fill(highest, Double.NaN);
        for (int i = 0; i < ago.length; i++) {
            if (ago[i] <= oldest) {
                int column = Math.min(COLUMNS - 1, (int) ((oldest - ago[i]) / oldest * COLUMNS));
                highest[column] = Double.isNaN(highest[column]) ? values[i] : Math.max(highest[column], values[i]);
            }
        }
        return highest;
    }

    private static char character(double value, double most, int row) {
        double height = most == 0 ? 0 : value / most * ROWS;
        double part = height - (row - 1);
        return part >= 1 ? '#' : part >= 0.5 ? ':' : row == 1 || part > 0 ? '.' : ' ';
    }

    private static String number(double value) {
        return value >= 100 ? String.format(Locale.ROOT, "%.0f", value) : String.format(Locale.ROOT, "%.1f", value);
    }
}
