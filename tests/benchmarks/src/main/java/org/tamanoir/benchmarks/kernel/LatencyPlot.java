package org.tamanoir.benchmarks.kernel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.tamanoir.benchmarks.report.Samples;

/**
 * Figure 8 of "Designing and Evaluating An Active Grid Architecture" (2003) with the figures of one run: the time of an ANEP packet on TCP
 * from sender to receiver against its length, through the kernel and through the JVM. Both axes are logarithmic; a time is half the
 * median round trip.
 */
final class LatencyPlot {
    private static final int WIDTH = 760;
    private static final int HEIGHT = 470;
    private static final int LEFT = 70;
    private static final int RIGHT = 740;
    private static final int TOP = 50;
    private static final int BOTTOM = 380;
    private static final double LEAST_OCTETS = 48;
    private static final double MOST_OCTETS = 80_000;
    /** Each length has a mark on its axis that is at least so many pixels from the one before. */
    private static final int MARKS_APART = 38;
    private static final Map<Way, String> COLOURS = new TreeMap<>(Map.of(Way.PLAIN, "#777777", Way.KERNEL, "#0b6e4f",
            Way.USER_SPACE, "#c8553d"));
    private static final Map<Way, String> NAMES = Map.of(Way.PLAIN, "no node: a plain router", Way.KERNEL, "node, in the kernel",
            Way.USER_SPACE, "node, in the JVM");

    private final Map<Way, TreeMap<Integer, Double>> micros = new TreeMap<>();
    private final double least;
    private final double most;

    /** @param samples with the round trips of at least one length */
    LatencyPlot(KernelPlan plan, Samples samples) {
        for (Way way : COLOURS.keySet()) {
            TreeMap<Integer, Double> points = new TreeMap<>();
            for (int octets : plan.tripFrames()) {
                Double p50 = samples.median(KernelFigure.p50(KernelFigure.TCP_TRIP, way, octets));
                if (p50 != null) {
                    points.put(octets, p50 / 2);
                }
            }
            micros.put(way, points);
        }
        double lowest = micros.values().stream().flatMap(points -> points.values().stream()).min(Double::compare).orElse(1.0);
        double highest = micros.values().stream().flatMap(points -> points.values().stream()).max(Double::compare).orElse(10.0);
        least = Math.pow(10, Math.floor(Math.log10(lowest)));
        most = Math.pow(10, Math.ceil(Math.log10(highest * 1.05)));
    }

    void write(Path file) {
        try {
            Files.writeString(file, svg());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }

    String svg() {
        StringBuilder svg = new StringBuilder(String.format(Locale.ROOT, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                + "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">%n", WIDTH, HEIGHT, WIDTH, HEIGHT));
        svg.append("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
        text(svg, LEFT, 20, "start", "Latency of an ANEP packet on TCP against its length (half the median round trip, one CPU)");
        axes(svg);
        int legend = 0;
        for (Map.Entry<Way, TreeMap<Integer, Double>> each : micros.entrySet()) {
            line(svg, COLOURS.get(each.getKey()), each.getValue());
            int at = LEFT + 20;
            int height = TOP + 18 + 18 * legend++;
            svg.append(String.format(Locale.ROOT, "<rect x=\"%d\" y=\"%d\" width=\"14\" height=\"4\" fill=\"%s\"/>%n", at, height - 6,
                    COLOURS.get(each.getKey())));
            text(svg, at + 20, height, "start", NAMES.get(each.getKey()));
        }
        List<String> paper = List.of("2003, figure 8 (two Pentium III, Gigabit Ethernet, Linux 2.4.18): the kernel's curve is flat at a few",
                "microseconds, the JVMs' curves rise with the payload to several milliseconds.");
        for (int i = 0; i < paper.size(); i++) {
            text(svg, LEFT, HEIGHT - 28 + 16 * i, "start", paper.get(i));
        }
        return svg.append("</svg>\n").toString();
    }

    private void axes(StringBuilder svg) {
        for (double decade = least; decade <= most * 1.01; decade *= 10) {
            for (int part = 1; part < 10 && decade * part <= most * 1.01; part++) {
                double y = y(decade * part);
                svg.append(String.format(Locale.ROOT, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"%s\"/>%n", LEFT, y, RIGHT, y,
                        part == 1 ? "#bbbbbb" : "#eeeeee"));
            }
            text(svg, LEFT - 6, y(decade) + 4, "end", decade >= 1 ? String.format(Locale.ROOT, "%,.0f µs", decade) : decade + " µs");
        }
        double before = 0;
        for (int octets : micros.values().stream().flatMap(points -> points.keySet().stream()).sorted().distinct().toList()) {
            double x = x(octets);
            if (x - before >= MARKS_APART) {
                svg.append(String.format(Locale.ROOT, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#777777\"/>%n", x, BOTTOM, x,
                        BOTTOM + 5));
                text(svg, x, BOTTOM + 20, "middle", String.format(Locale.ROOT, "%,d", octets));
                before = x;
            }
        }
        text(svg, (LEFT + RIGHT) / 2.0, BOTTOM + 38, "middle", "octets of the packet, header included");
    }

    private void line(StringBuilder svg, String colour, TreeMap<Integer, Double> points) {
        StringBuilder path = new StringBuilder();
        points.forEach((octets, time) -> {
            path.append(String.format(Locale.ROOT, "%.1f,%.1f ", x(octets), y(time)));
            svg.append(String.format(Locale.ROOT, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"><title>%,d octets: %.1f µs</title></circle>%n",
                    x(octets), y(time), colour, octets, time));
        });
        svg.append(String.format("<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>%n", path.toString().strip(), colour));
    }

    private static void text(StringBuilder svg, double x, double y, String anchor, String text) {
        svg.append(String.format(Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n", x, y, anchor, text));
    }

    private static double x(double octets) {
        return LEFT + (RIGHT - LEFT) * Math.log(octets / LEAST_OCTETS) / Math.log(MOST_OCTETS / LEAST_OCTETS);
    }

    private double y(double micro) {
        return BOTTOM - (BOTTOM - TOP) * Math.log(micro / least) / Math.log(most / least);
    }
}
