package org.tamanoir.benchmarks.dyram.figures;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.benchmarks.dyram.figures.Figures.Figure;
import org.tamanoir.benchmarks.dyram.figures.Sessions.Estimate;
import org.tamanoir.benchmarks.dyram.figures.Setting.Lost;
import org.tamanoir.benchmarks.dyram.figures.Setting.Services;
import org.tamanoir.benchmarks.dyram.figures.Setting.Split;
import org.tamanoir.benchmarks.dyram.figures.SimulatedSession.Outcome;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.plot.Chart.Axes;
import org.tamanoir.benchmarks.plot.Chart.Series;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;

/** What local recovery saves: figure 12a, completion time against the number of receivers, and 12b, bandwidth against the size of groups. */
final class Figure12 {
    /** So many make the rate decide, and not the delay: a round trip is a twelfth of the time in which every packet is sent once. */
    static final int PACKETS = 1_200;
    private static final double LOSS = 0.25;
    private static final int GROUPS = 12;
    private static final int MOST_HOSTS = 4;
    private static final double LEAST_GAIN = 2;

    private static final int RECEIVERS = 48;
    private static final List<Integer> SIZES = List.of(1, 2, 4, 6, 8, 12, 24, 48);
    private static final List<Double> LOSSES = List.of(0.05, 0.25, 0.5);
    private static final List<String> COLOURS = List.of("#3b6fb6", "#0b6e4f", "#c8553d");
    private static final int PAPER_SIZE = 6;
    private static final double PAPER = 1.8;
    private static final double TOLERANCE = 0.1;
    private static final String SENT = "packets on the source's link";

    /** A line of ours and one of the model's. */
    private record Lines(Series ours, Series model) {
        Lines(Chart chart, String name, String colour) {
            this(chart.line(name, colour, false), chart.line(name + ", model", colour, true));
        }

        void add(int x, Estimate value, Estimate modelled) {
            ours.add(x, value.mean());
            model.add(x, modelled.mean());
        }
    }

    private Figure12() {
    }

    /** @param packets of each session */
    static Figure completion(Sessions sessions, int packets) {
        String name = "figure-12a";
        String metric = "completion-time";
        String unit = "times of sending once";
        Chart chart = new Chart("Figure 12a: completion time, 12 groups, p = 0.25", "receivers", "times of sending every packet once", Axes.LINEAR,
                List.of("2003, figure 12a: local recovery makes the transfer shorter, the more so the more receivers there are; no numbers."));
        List<Services> compared = List.of(Services.NO_LOCAL_RECOVERY, Services.LOCAL_RECOVERY);
        List<Lines> lines = List.of(new Lines(chart, compared.get(0).name(), COLOURS.get(2)), new Lines(chart, compared.get(1).name(), COLOURS.get(1)));
        List<Row> rows = new ArrayList<>();
        double gained = 0;
        for (int hosts = 1; hosts <= MOST_HOSTS; hosts++) {
            int receivers = GROUPS * hosts;
            List<Setting> settings = new ArrayList<>();
            for (Services services : compared) {
                Setting setting = new Setting(GROUPS, hosts, LOSS, Split.MEDIUM_ACCESS, Duration.ofMillis(100), services, Setting.DECIDE, Lost.DATA, packets);
                Estimate time = sessions.of(setting, Outcome::time);
                Estimate model = Estimate.given(Model.sourceLink(GROUPS, hosts, LOSS, services == Services.LOCAL_RECOVERY));
                rows.add(time.row(name, services.name(), receivers, metric, unit));
                rows.add(model.row(name, "model: " + services.name(), receivers, metric, unit));
                rows.add(sessions.of(setting, Outcome::sourceLink).row(name, services.name(), receivers, SENT, "of the content"));
                lines.get(settings.size()).add(receivers, time, model);
                settings.add(setting);
            }
            Estimate gain = sessions.ratio(settings.get(0), settings.get(1), Outcome::time);
            rows.add(gain.row(name, "without / with", receivers, metric, "ratio"));
            gained = gain.mean();
        }
        return new Figure(name, "Figure 12a: completion time against receivers in 12 groups, p = 0.25, in times of sending every packet once. The model takes%n"
                + "  the packets on the source's link for the time: it knows no round trips, which the last repairs take. The paper's curves bear no numbers.",
                rows, List.of(Target.atLeast("figure 12a, 48 receivers, p = 0.25: completion time without local recovery, of that with it",
                        Estimate.round(gained), LEAST_GAIN)), chart, out -> Table.printCases(out, rows));
    }

    /** How many times the bandwidth a session without local recovery takes. Ours is held against the model, which gives the paper's number at the paper's size. */
    static Figure bandwidth(Sessions sessions) {
        String name = "figure-12b";
        String consumed = "packets, source's link and links to sites";
        Chart chart = new Chart("Figure 12b: bandwidth saved by local recovery, 48 receivers", "receivers in a group, B",
                "bandwidth without / with local recovery", Axes.LOGARITHMIC_X,
                List.of("Bandwidth: packets on the source's link and on the links to sites. Counting all links, the ratio is about 1:",
                        "local recovery moves repairs onto the LANs. 2003, figure 12b: 1.8 at B = 6 (the cross)."));
        List<Row> rows = new ArrayList<>();
        List<Target> targets = new ArrayList<>();
        for (double loss : LOSSES) {
            String local = "local recovery, p = " + loss;
            String every = "election at every level, p = " + loss;
            Lines lines = new Lines(chart, "p = " + loss, COLOURS.get(LOSSES.indexOf(loss)));
            for (int size : SIZES) {
                Setting without = bandwidth(size, loss, Services.NO_LOCAL_RECOVERY);
                Setting with = bandwidth(size, loss, Services.LOCAL_RECOVERY);
                Setting elected = bandwidth(size, loss, Services.EVERY_LEVEL);
                Estimate saved = sessions.ratio(without, with, Outcome::consumed);
                Estimate model = Estimate.given(Model.bandwidthRatio(RECEIVERS / size, size, loss));
                rows.add(saved.row(name, local, size, consumed, "ratio"));
                rows.add(model.row(name, "model: " + local, size, consumed, "ratio"));
                rows.add(sessions.ratio(without, with, Outcome::everywhere).row(name, local, size, "packets, all links", "ratio"));
                rows.add(sessions.ratio(without, elected, Outcome::consumed).row(name, every, size, consumed, "ratio"));
                rows.add(sessions.of(with, Outcome::sourceLink).row(name, local, size, SENT, "of the content"));
                rows.add(sessions.of(elected, Outcome::sourceLink).row(name, every, size, SENT, "of the content"));
                lines.add(size, saved, model);
                if (size == PAPER_SIZE) {
                    double value = Estimate.round(saved.mean());
                    double bound = Estimate.round(model.mean());
                    String what = "figure 12b, 6 receivers in a group, p = " + loss + ": bandwidth without local recovery, of that with it, beside the model's " + bound;
                    targets.add(Target.atLeast(what, value, bound * (1 - TOLERANCE)));
                    targets.add(Target.atMost(what, value, bound * (1 + TOLERANCE)));
                }
            }
        }
        rows.add(Estimate.given(PAPER).row(name, "paper, p = " + LOSS, PAPER_SIZE, consumed, "ratio"));
        chart.mark("the paper", PAPER_SIZE, PAPER);
        return new Figure(name, "Figure 12b: bandwidth without local recovery, divided by that with it, against the receivers in a group; 48 receivers. Bandwidth is packets%n"
                + "  of content, repairs too, on the source's link and on the links from its node to the sites; the paper does not define it. On all links,%n"
                + "  hosts' included, the ratio is about one: local recovery moves repairs onto the LANs, it does not save them. With election at every%n"
                + "  level, which is ours, a site repairs for another. The paper prints one number, 1.8 for groups of 6; p = 0.25 fits it.", rows, targets, chart,
                out -> Table.printCases(out, rows));
    }

    private static Setting bandwidth(int size, double loss, Services services) {
        return new Setting(RECEIVERS / size, size, loss, Split.MEDIUM_ACCESS, Duration.ofMillis(200), services, Setting.DECIDE, Lost.DATA, 300);
    }
}
