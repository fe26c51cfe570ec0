package org.tamanoir.benchmarks.dyram.figures;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.tamanoir.benchmarks.dyram.figures.Setting.Lost;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.plot.Chart.Axes;
import org.tamanoir.benchmarks.plot.Chart.Series;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Target;

/** Figures 13a and 13b: recovery delay against the number of receivers. */
final class DelayFigure implements Figure {
    private static final int GROUPS = 12;
    private static final List<Integer> HOSTS = List.of(1, 2, 4, 6, 8);
    private static final int MOST_HOSTS = 8;
    /** Margins of 3 and 5 ms and the source's patience of 50 ms are a small part of it. */
    private static final Duration ROUND_TRIP = Duration.ofMillis(800);
    private static final int PACKETS = 250;
    private static final double MODELLED_LOSS = 0.25;
    private static final double PAPER = 4;
    private static final Map<String, ToDoubleFunction<Outcome>> METRICS = new LinkedHashMap<>();

    static {
        METRICS.put("mean", Outcome::meanDelay);
        METRICS.put("p99", Outcome::p99Delay);
        METRICS.put("last receiver", Outcome::lastDelay);
    }

    /**
     * A way to run the figure: where timers are, what is lost, and whether a node takes a round trip of its links to decide, as the model
     * does.
     */
    private record Condition(boolean nodesHaveTimers, Lost lost, boolean slow) {
        static final Condition USUAL = new Condition(true, Lost.DATA, false);
        static final List<Condition> ALL = List.of(USUAL, new Condition(false, Lost.DATA, false), new Condition(true, Lost.EVERYTHING, false),
                new Condition(false, Lost.EVERYTHING, false), new Condition(true, Lost.DATA, true));

        Duration decide(Split split) {
            return slow ? Duration.ofNanos(Split.nanos(2 * split.tail(), ROUND_TRIP)) : Setting.DECIDE;
        }

        Services of(Services services) {
            return nodesHaveTimers ? services : services.timersInReceiversOnly();
        }

        String text() {
            return (nodesHaveTimers ? "timers in nodes too" : "timers in receivers only") + ", "
                    + (lost == Lost.DATA ? slow ? "slow decision" : "data lost" : "requests lost too");
        }
    }

    private final String name;
    private final double loss;

    /** @param loss from end to end */
    DelayFigure(String name, double loss) {
        this.name = name;
        this.loss = loss;
    }

    @Override
    public String name() {
        return name;
    }

    private Setting setting(int hosts, Split split, Services services, Condition condition) {
        return new Setting(GROUPS, hosts, loss, split, ROUND_TRIP, condition.of(services), condition.decide(split), condition.lost(),
                PACKETS);
    }

    private static List<Services> compared() {
        return List.of(Services.NO_ACTIVE_NODE, Services.WITHOUT_DETECTION, Services.WITH_DETECTION);
    }

    @Override
    public List<Setting> settings() {
        List<Setting> settings = new ArrayList<>();
        for (Split split : Split.ALL) {
            for (Services services : compared()) {
                HOSTS.forEach(hosts -> settings.add(setting(hosts, split, services, Condition.USUAL)));
                Condition.ALL.forEach(condition -> settings.add(setting(MOST_HOSTS, split, services, condition)));
            }
        }
        return settings;
    }

    private static Estimate gain(Sessions sessions, Setting without, Setting with, ToDoubleFunction<Outcome> metric) {
        return sessions.of(without, with, (one, other) -> metric.applyAsDouble(one) / metric.applyAsDouble(other));
    }

    private Estimate gain(Sessions sessions, int hosts, Split split, Condition condition, ToDoubleFunction<Outcome> metric) {
        return gain(sessions, setting(hosts, split, Services.WITHOUT_DETECTION, condition),
                setting(hosts, split, Services.WITH_DETECTION, condition), metric);
    }

    @Override
    public List<Row> rows(Sessions sessions) {
        List<Row> rows = new ArrayList<>();
        for (Split split : Split.ALL) {
            for (int hosts : HOSTS) {
                for (Condition condition : hosts == MOST_HOSTS ? Condition.ALL : List.of(Condition.USUAL)) {
                    METRICS.forEach((metric, value) -> {
                        String what = "recovery delay, " + metric;
                        for (Services services : compared()) {
                            rows.add(sessions.of(setting(hosts, split, services, condition), value)
                                    .row(name, series(services.name(), split, condition), GROUPS * hosts, what, "RTT"));
                        }
                        rows.add(gain(sessions, hosts, split, condition, value)
                                .row(name, series("DyRAM- / DyRAM+", split, condition), GROUPS * hosts, what, "ratio"));
                    });
                }
            }
        }
        if (loss == MODELLED_LOSS) {
            Model.DELAYS.forEach(model -> rows.addAll(modelRows(model)));
            rows.add(new Row(name, "paper, DyRAM- / DyRAM+, up to", 0, GROUPS * MOST_HOSTS, "recovery delay", PAPER, "ratio", 0, PAPER, PAPER));
        }
        return rows;
    }

    private static String series(String services, Split split, Condition condition) {
        return services + ", " + split.name() + ", " + condition.text();
    }

    private List<Row> modelRows(Model.Delay model) {
        Condition condition = new Condition(model.nodesHaveTimers(), Lost.DATA, false);
        List<Row> rows = new ArrayList<>();
        double[] values = {model.noActiveNode(), model.withoutDetection(), model.withDetection()};
        for (int i = 0; i < values.length; i++) {
            rows.add(Figures.modelRow(name, series(compared().get(i).name(), model.split(), condition), GROUPS * MOST_HOSTS,
                    "recovery delay, mean",
                    values[i], "RTT"));
        }
        return rows;
    }

    @Override
    public List<Target> targets(Sessions sessions) {
        List<Target> targets = new ArrayList<>();
        if (loss == MODELLED_LOSS) {
            targets.add(Target.atLeast("figure 13a, 96 receivers, p = 0.25, " + Split.SHORT_ACCESS.name() + ": mean recovery delay of "
                    + "DyRAM-, of that of DyRAM+",
                    Estimate.round(gain(sessions, MOST_HOSTS, Split.SHORT_ACCESS, Condition.USUAL, Outcome::meanDelay).mean()), PAPER));
        }
        for (Split split : Split.ALL) {
            targets.add(Target.atLeast("figure 13, 96 receivers, p = " + loss + ", " + split.name() + ": mean recovery delay without "
                    + "active node, of that of DyRAM-",
                    Estimate.round(gain(sessions, setting(MOST_HOSTS, split, Services.NO_ACTIVE_NODE, Condition.USUAL),
                            setting(MOST_HOSTS, split, Services.WITHOUT_DETECTION, Condition.USUAL), Outcome::meanDelay).mean()), 1));
        }
        return targets;
    }

    @Override
    public void print(PrintWriter out, Sessions sessions) {
        out.printf("%nFigure 13%s: recovery delay / RTT, 12 groups, p = %s; from the moment a packet would have come by its first transmission%n"
                + "  to the moment it came; last: mean over packets of the receiver repaired last. Splits: source's link, backbone, tail.%n"
                + "  slow decision: the least delay to decide is a round trip of the tails instead of 3 ms%n",
                name.endsWith("a") ? "a" : "b", loss);
        out.printf("  %-49s %20s     %20s     %20s     %17s%n", "96 receivers", "no active node", "DyRAM-", "DyRAM+", "DyRAM- / DyRAM+");
        out.printf("  %-49s %20s     %20s     %20s     %17s%n", "", "mean    p99   last", "mean    p99   last", "mean    p99   last",
                "mean   p99  last");
        for (Split split : Split.ALL) {
            for (Condition condition : Condition.ALL) {
                out.printf("  %-12s%-37s", split.name(), condition.text().replace("timers in ", ""));
                for (Services services : compared()) {
                    METRICS.values().forEach(metric -> out.printf(" %6.2f",
                            sessions.of(setting(MOST_HOSTS, split, services, condition), metric).mean()));
                    out.print("     ");
                }
                METRICS.values().forEach(metric -> out.printf(" %5.1f", gain(sessions, MOST_HOSTS, split, condition, metric).mean()));
                out.println();
            }
            Model.DELAYS.stream().filter(model -> loss == MODELLED_LOSS && model.split().equals(split)).forEach(model -> out.printf(
                    "  %-12s%-37s %6.2f %18s %6.2f %18s %6.2f %18s %5.1f%n", split.name(),
                    "model, " + (model.nodesHaveTimers() ? "nodes too" : "receivers only"), model.noActiveNode(), "", model.withoutDetection(),
                    "", model.withDetection(), "", model.withoutDetection() / model.withDetection()));
        }
        if (loss == MODELLED_LOSS) {
            out.printf("  paper: DyRAM+ \"can be 4 times faster\" at 96 receivers and p = 0.25, splits and timers not said%n");
        }
        out.printf("  %-42s", "mean against receivers, data lost");
        HOSTS.forEach(hosts -> out.printf(" %7d", GROUPS * hosts));
        out.println();
        for (Split split : Split.ALL) {
            for (Services services : compared()) {
                out.printf("  %-12s%-30s", split.name(), services.name());
                HOSTS.forEach(hosts -> out.printf(" %7.2f",
                        sessions.of(setting(hosts, split, services, Condition.USUAL), Outcome::meanDelay).mean()));
                out.println();
            }
        }
    }

    @Override
    public Chart chart(Sessions sessions) {
        Chart chart = new Chart("Figure 13" + (name.endsWith("a") ? "a" : "b") + ": mean recovery delay, 12 groups, p = " + loss,
                "receivers", "recovery delay / RTT",
                Axes.LINEAR, List.of("Splits of the delay: source's link / backbone / tail, in round trips. DyRAM+: losses are detected in "
                        + "the source's node.",
                        "2003, figure 13: DyRAM+ up to 4 times faster at 96 receivers and p = 0.25; splits and timers are not said."));
        String[] colours = {"#3b6fb6", "#0b6e4f", "#c8553d"};
        for (int i = 0; i < Split.ALL.size(); i++) {
            for (Services services : compared()) {
                if (services != Services.NO_ACTIVE_NODE || Split.ALL.get(i) == Split.MEDIUM_ACCESS) {
                    Split split = Split.ALL.get(i);
                    Series series = new Series(services.name() + ", " + split.name(),
                            services == Services.NO_ACTIVE_NODE ? "#777777" : colours[i], services == Services.WITHOUT_DETECTION);
                    HOSTS.forEach(hosts -> series.add(GROUPS * hosts,
                            sessions.of(setting(hosts, split, services, Condition.USUAL), Outcome::meanDelay).mean()));
                    chart.series().add(series);
                }
            }
        }
        return chart;
    }
}
