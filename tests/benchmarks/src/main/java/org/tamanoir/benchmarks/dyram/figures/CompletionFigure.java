package org.tamanoir.benchmarks.dyram.figures;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.benchmarks.dyram.figures.Setting.Lost;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.plot.Chart.Axes;
import org.tamanoir.benchmarks.plot.Chart.Series;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Target;

/** Figure 12a: completion time against the number of receivers. */
final class CompletionFigure implements Figure {
    private static final double LOSS = 0.25;
    private static final int GROUPS = 12;
    private static final List<Integer> HOSTS = List.of(1, 2, 3, 4);
    /** A twelfth of the time in which every packet is sent once: the rate decides, not the delay. */
    private static final Duration ROUND_TRIP = Duration.ofMillis(100);
    /** So many make the rate decide. */
    static final int PACKETS = 1_200;
    private static final double LEAST_GAIN = 2;
    private static final String UNIT = "times of sending once";

    private final int packets;

    /** @param packets of each session */
    CompletionFigure(int packets) {
        this.packets = packets;
    }

    @Override
    public String name() {
        return "figure-12a";
    }

    private Setting setting(int hosts, Services services) {
        return new Setting(GROUPS, hosts, LOSS, Split.MEDIUM_ACCESS, ROUND_TRIP, services, Setting.DECIDE, Lost.DATA,
                packets);
    }

    private Estimate time(Sessions sessions, int hosts, Services services) {
        return sessions.of(setting(hosts, services), Outcome::time);
    }

    private Estimate sent(Sessions sessions, int hosts, Services services) {
        return sessions.of(setting(hosts, services), Outcome::sourceLink);
    }

    private Estimate gain(Sessions sessions, int hosts) {
        return sessions.of(setting(hosts, Services.NO_LOCAL_RECOVERY), setting(hosts, Services.LOCAL_RECOVERY),
                (without, with) -> without.time() / with.time());
    }

    @Override
    public List<Setting> settings() {
        return HOSTS.stream().flatMap(hosts -> List.of(setting(hosts, Services.NO_LOCAL_RECOVERY), setting(hosts, Services.LOCAL_RECOVERY))
                .stream()).toList();
    }

    @Override
    public List<Row> rows(Sessions sessions) {
        List<Row> rows = new ArrayList<>();
        for (int hosts : HOSTS) {
            int receivers = GROUPS * hosts;
            for (Services services : List.of(Services.NO_LOCAL_RECOVERY, Services.LOCAL_RECOVERY)) {
                rows.add(time(sessions, hosts, services).row(name(), services.name(), receivers, "completion-time", UNIT));
                rows.add(Figures.modelRow(name(), services.name(), receivers, "completion-time", model(hosts, services), UNIT));
            }
            for (Services services : List.of(Services.NO_LOCAL_RECOVERY, Services.LOCAL_RECOVERY)) {
                rows.add(sent(sessions, hosts, services).row(name(), services.name(), receivers, "packets on the source's link",
                        "of the content"));
            }
            rows.add(gain(sessions, hosts).row(name(), "without / with", receivers, "completion-time", "ratio"));
        }
        return rows;
    }

    private static double model(int hosts, Services services) {
        return Model.sourceLink(GROUPS, hosts, LOSS, services == Services.LOCAL_RECOVERY);
    }

    @Override
    public List<Target> targets(Sessions sessions) {
        return List.of(Target.atLeast("figure 12a, 48 receivers, p = 0.25: completion time without local recovery, of that with it",
                Estimate.round(gain(sessions, HOSTS.get(HOSTS.size() - 1)).mean()), LEAST_GAIN));
    }

    @Override
    public void print(PrintWriter out, Sessions sessions) {
        out.printf("%nFigure 12a: completion time against receivers in 12 groups, p = 0.25, in times of sending every packet once%n"
                + "  sent: packets on the source's link for each packet of content, which the model takes for the time: it knows no "
                + "round trips, which the%n"
                + "  last repairs take; the paper's curves bear no numbers%n");
        out.printf("  %-10s %10s %8s %8s   %10s %8s %8s   %12s %8s%n", "receivers", "without", "sent", "model", "with", "sent", "model",
                "without/with",
                "model");
        for (int hosts : HOSTS) {
            double without = model(hosts, Services.NO_LOCAL_RECOVERY);
            double with = model(hosts, Services.LOCAL_RECOVERY);
            out.printf("  %-10d %10.2f %8.2f %8.2f   %10.2f %8.2f %8.2f   %12.2f %8.2f%n", GROUPS * hosts,
                    time(sessions, hosts, Services.NO_LOCAL_RECOVERY).mean(), sent(sessions, hosts, Services.NO_LOCAL_RECOVERY).mean(), without,
                    time(sessions, hosts, Services.LOCAL_RECOVERY).mean(), sent(sessions, hosts, Services.LOCAL_RECOVERY).mean(), with,
                            gain(sessions, hosts).mean(), without / with);
        }
    }

    @Override
    public Chart chart(Sessions sessions) {
        Chart chart = new Chart("Figure 12a: completion time, 12 groups, p = 0.25", "receivers",
                "times of sending every packet once", Axes.LINEAR, List.of("2003, figure 12a: local recovery makes the transfer shorter, the "
                + "more so the more receivers there are; no numbers."));
        String[] colours = {"#c8553d", "#0b6e4f"};
        int i = 0;
        for (Services services : List.of(Services.NO_LOCAL_RECOVERY, Services.LOCAL_RECOVERY)) {
            Series ours = new Series(services.name(), colours[i], false);
            Series model = new Series(services.name() + ", model", colours[i++], true);
            for (int hosts : HOSTS) {
                ours.add(GROUPS * hosts, time(sessions, hosts, services).mean());
                model.add(GROUPS * hosts, model(hosts, services));
            }
            chart.series().add(ours);
            chart.series().add(model);
        }
        return chart;
    }
}
