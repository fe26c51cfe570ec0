package org.tamanoir.benchmarks.dyram.figures;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.benchmarks.dyram.figures.Sessions.Estimate;
import org.tamanoir.benchmarks.dyram.figures.Setting.Lost;
import org.tamanoir.benchmarks.dyram.figures.Setting.Services;
import org.tamanoir.benchmarks.dyram.figures.Setting.Split;
import org.tamanoir.benchmarks.dyram.figures.SimulatedSession.Outcome;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.plot.Chart.Axes;
import org.tamanoir.benchmarks.plot.Chart.Series;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Target;

/** Figure 12a: completion time against the number of receivers. */
final class CompletionFigure implements Figures.Figure {
    private static final double LOSS = 0.25;
    private static final int GROUPS = 12;
    private static final List<Integer> HOSTS = List.of(1, 2, 3, 4);
    /** A twelfth of the time in which every packet is sent once: the rate decides, not the delay. */
    private static final Duration ROUND_TRIP = Duration.ofMillis(100);
    /** So many make the rate decide. */
    static final int PACKETS = 1_200;
    private static final double LEAST_GAIN = 2;
    private static final String UNIT = "times of sending once";
    private static final List<Services> COMPARED = List.of(Services.NO_LOCAL_RECOVERY, Services.LOCAL_RECOVERY);
    private static final List<String> COLOURS = List.of("#c8553d", "#0b6e4f");

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
        return new Setting(GROUPS, hosts, LOSS, Split.MEDIUM_ACCESS, ROUND_TRIP, services, Setting.DECIDE, Lost.DATA, packets);
    }

    private Estimate time(Sessions sessions, int hosts, Services services) {
        return sessions.of(setting(hosts, services), Outcome::time);
    }

    private Estimate sent(Sessions sessions, int hosts, Services services) {
        return sessions.of(setting(hosts, services), Outcome::sourceLink);
    }

    private Estimate gain(Sessions sessions, int hosts) {
        return sessions.ratio(setting(hosts, Services.NO_LOCAL_RECOVERY), setting(hosts, Services.LOCAL_RECOVERY), Outcome::time);
    }

    private static double model(int hosts, Services services) {
        return Model.sourceLink(GROUPS, hosts, LOSS, services == Services.LOCAL_RECOVERY);
    }

    @Override
    public List<Setting> settings() {
        return HOSTS.stream().flatMap(hosts -> COMPARED.stream().map(services -> setting(hosts, services))).toList();
    }

    @Override
    public List<Row> rows(Sessions sessions) {
        List<Row> rows = new ArrayList<>();
        for (int hosts : HOSTS) {
            int receivers = GROUPS * hosts;
            for (Services services : COMPARED) {
                rows.add(time(sessions, hosts, services).row(name(), services.name(), receivers, "completion-time", UNIT));
                rows.add(Figures.modelRow(name(), services.name(), receivers, "completion-time", model(hosts, services), UNIT));
                rows.add(sent(sessions, hosts, services).row(name(), services.name(), receivers, "packets on the source's link", "of the content"));
            }
            rows.add(gain(sessions, hosts).row(name(), "without / with", receivers, "completion-time", "ratio"));
        }
        return rows;
    }

    @Override
    public List<Target> targets(Sessions sessions) {
        return List.of(Target.atLeast("figure 12a, 48 receivers, p = 0.25: completion time without local recovery, of that with it",
                Estimate.round(gain(sessions, HOSTS.get(HOSTS.size() - 1)).mean()), LEAST_GAIN));
    }

    @Override
    public String explanation() {
        return "Figure 12a: completion time against receivers in 12 groups, p = 0.25, in times of sending every packet once. The model takes%n"
                + "  the packets on the source's link for the time: it knows no round trips, which the last repairs take. The paper's curves bear no numbers.";
    }

    @Override
    public Chart chart(Sessions sessions) {
        Chart chart = new Chart("Figure 12a: completion time, 12 groups, p = 0.25", "receivers", "times of sending every packet once", Axes.LINEAR,
                List.of("2003, figure 12a: local recovery makes the transfer shorter, the more so the more receivers there are; no numbers."));
        for (Services services : COMPARED) {
            String colour = COLOURS.get(COMPARED.indexOf(services));
            Series ours = chart.line(services.name(), colour, false);
            Series model = chart.line(services.name() + ", model", colour, true);
            for (int hosts : HOSTS) {
                ours.add(GROUPS * hosts, time(sessions, hosts, services).mean());
                model.add(GROUPS * hosts, model(hosts, services));
            }
        }
        return chart;
    }
}
