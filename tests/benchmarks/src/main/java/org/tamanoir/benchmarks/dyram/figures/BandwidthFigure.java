package org.tamanoir.benchmarks.dyram.figures;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.tamanoir.benchmarks.dyram.figures.Setting.Lost;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.plot.Chart.Axes;
import org.tamanoir.benchmarks.plot.Chart.Series;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Target;

/** Figure 12b: how many times the bandwidth a session without local recovery takes, against the size of groups. */
final class BandwidthFigure implements Figure {
    private static final int RECEIVERS = 48;
    private static final List<Integer> SIZES = List.of(1, 2, 4, 6, 8, 12, 24, 48);
    private static final List<Double> LOSSES = List.of(0.05, 0.25, 0.5);
    private static final Duration ROUND_TRIP = Duration.ofMillis(200);
    private static final int PACKETS = 300;
    private static final int PAPER_SIZE = 6;
    private static final double PAPER_LOSS = 0.25;
    private static final double PAPER = 1.8;
    private static final double MODEL = 1.82;
    private static final double TOLERANCE = 0.1;
    private static final String CONSUMED = "packets, source's link and links to sites";
    private static final String EVERYWHERE = "packets, all links";

    @Override
    public String name() {
        return "figure-12b";
    }

    private static Setting setting(int size, double loss, Services services) {
        return new Setting(RECEIVERS / size, size, loss, Split.MEDIUM_ACCESS, ROUND_TRIP, services, Setting.DECIDE,
                Lost.DATA, PACKETS);
    }

    private static Estimate ratio(Sessions sessions, int size, double loss, Services with, ToDoubleFunction<Outcome> bandwidth) {
        return sessions.of(setting(size, loss, Services.NO_LOCAL_RECOVERY), setting(size, loss, with),
                (one, other) -> bandwidth.applyAsDouble(one) / bandwidth.applyAsDouble(other));
    }

    @Override
    public List<Setting> settings() {
        List<Setting> settings = new ArrayList<>();
        for (int size : SIZES) {
            for (double loss : LOSSES) {
                for (Services services : List.of(Services.NO_LOCAL_RECOVERY, Services.LOCAL_RECOVERY, Services.EVERY_LEVEL)) {
                    settings.add(setting(size, loss, services));
                }
            }
        }
        return settings;
    }

    @Override
    public List<Row> rows(Sessions sessions) {
        List<Row> rows = new ArrayList<>();
        for (double loss : LOSSES) {
            for (int size : SIZES) {
                String local = "local recovery, p = " + loss;
                String every = "election at every level, p = " + loss;
                rows.add(ratio(sessions, size, loss, Services.LOCAL_RECOVERY, Outcome::consumed).row(name(), local, size, CONSUMED, "ratio"));
                rows.add(Figures.modelRow(name(), local, size, CONSUMED, Model.bandwidthRatio(RECEIVERS / size, size, loss), "ratio"));
                rows.add(ratio(sessions, size, loss, Services.LOCAL_RECOVERY, Outcome::everywhere).row(name(), local, size, EVERYWHERE,
                        "ratio"));
                rows.add(ratio(sessions, size, loss, Services.EVERY_LEVEL, Outcome::consumed).row(name(), every, size, CONSUMED, "ratio"));
                rows.add(sessions.of(setting(size, loss, Services.LOCAL_RECOVERY), Outcome::sourceLink)
                        .row(name(), local, size, "packets on the source's link", "of the content"));
                rows.add(sessions.of(setting(size, loss, Services.EVERY_LEVEL), Outcome::sourceLink)
                        .row(name(), every, size, "packets on the source's link", "of the content"));
            }
        }
        rows.add(new Row(name(), "paper, p = " + PAPER_LOSS, 0, PAPER_SIZE, CONSUMED, PAPER, "ratio", 0, PAPER, PAPER));
        return rows;
    }

    @Override
    public List<Target> targets(Sessions sessions) {
        double value = Estimate.round(ratio(sessions, PAPER_SIZE, PAPER_LOSS, Services.LOCAL_RECOVERY, Outcome::consumed).mean());
        String what = "figure 12b, 6 receivers in a group, p = 0.25: bandwidth without local recovery, of that with it";
        return List.of(Target.atLeast(what, value, MODEL - TOLERANCE), Target.atMost(what, value, MODEL + TOLERANCE));
    }

    @Override
    public void print(PrintWriter out, Sessions sessions) {
        out.printf("%nFigure 12b: consumed bandwidth without local recovery, divided by that with it; 48 receivers in groups of B%n"
                + "  consumed: packets of content, repairs too, on the source's link and on the links from its node to the sites. The "
                + "paper does not define it.%n"
                + "  all: the same on all links, hosts' included. It is about one: local recovery moves repairs onto the LANs, it does "
                + "not save them.%n"
                + "  every: with election at every level, which is ours: a site repairs for another.%n"
                + "  The paper prints one number, 1.8 at B = 6; p = 0.25 fits it.%n");
        out.printf("  %-4s", "B");
        LOSSES.forEach(loss -> out.printf("   %8s %6s %6s %6s %6s", "p = " + loss, "model", "paper", "all", "every"));
        out.println();
        for (int size : SIZES) {
            out.printf("  %-4d", size);
            for (double loss : LOSSES) {
                out.printf("   %8.2f %6.2f %6s %6.2f %6.2f", ratio(sessions, size, loss, Services.LOCAL_RECOVERY, Outcome::consumed).mean(),
                        Model.bandwidthRatio(RECEIVERS / size, size, loss), size == PAPER_SIZE && loss == PAPER_LOSS ? PAPER : "",
                        ratio(sessions, size, loss, Services.LOCAL_RECOVERY, Outcome::everywhere).mean(),
                        ratio(sessions, size, loss, Services.EVERY_LEVEL, Outcome::consumed).mean());
            }
            out.println();
        }
    }

    @Override
    public Chart chart(Sessions sessions) {
        Chart chart = new Chart("Figure 12b: bandwidth saved by local recovery, 48 receivers", "receivers in a group, B",
                "bandwidth without / with local recovery", Axes.LOGARITHMIC_X,
                List.of("Bandwidth: packets on the source's link and on the links to sites. Counting all links, the ratio is about 1:",
                "local recovery moves repairs onto the LANs. 2003, figure 12b: 1.8 at B = 6 (the cross)."));
        String[] colours = {"#3b6fb6", "#0b6e4f", "#c8553d"};
        for (int i = 0; i < LOSSES.size(); i++) {
            double loss = LOSSES.get(i);
            Series ours = new Series("p = " + loss, colours[i], false);
            Series model = new Series("p = " + loss + ", model", colours[i], true);
            for (int size : SIZES) {
                ours.add(size, ratio(sessions, size, loss, Services.LOCAL_RECOVERY, Outcome::consumed).mean());
                model.add(size, Model.bandwidthRatio(RECEIVERS / size, size, loss));
            }
            chart.series().add(ours);
            chart.series().add(model);
        }
        chart.mark("the paper", PAPER_SIZE, PAPER);
        return chart;
    }
}
