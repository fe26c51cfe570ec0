package org.tamanoir.benchmarks.qos.qbss;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.plot.Chart.Axes;
import org.tamanoir.benchmarks.qos.Bottleneck;
import org.tamanoir.benchmarks.qos.qbss.Qbss.Experiment;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;

/** The series, and how they keep the three rules of the annex: LBE yields, is not starved, and takes what is left. */
final class QbssOutcome extends MeasuredOutcome {
    private static final double MEGA = 1e6;
    private static final double FULL = 0.9;
    private static final String[] COLOURS = {"#c8553d", "#0b6e4f", "#3d6fc8", "#c89b3d"};

    private final double capacity;
    private final List<Series> series;

    /** @param rate of the link, which carries so much less of full segments */
    QbssOutcome(long rate, List<Series> series, Measurements measured) {
        super("qbss", measured);
        this.capacity = rate * Bottleneck.TCP_PART;
        this.series = series;
        for (Series run : series) {
            Experiment experiment = run.experiment();
            samples().add(key(experiment, "LBE-alone", "%"), 100 * run.alone() / capacity);
            samples().add(key(experiment, "LBE-beside", "%"), 100 * run.beside() / capacity);
            samples().add(key(experiment, "LBE-back", "s"), run.back(FULL * capacity));
            if (experiment.isDatagrams()) {
                samples().add(key(experiment, "BE-arrived", "%"), 100 * run.arrived());
            }
            samples().add(key(experiment, "BE", "%"), 100 * run.be() / (experiment.isDatagrams() ? QbssLab.datagrams(rate) : capacity));
        }
    }

    private static Key key(Experiment experiment, String metric, String unit) {
        return new Key("qbss-" + experiment.name(), "tamanoir-domain", experiment.isDatagrams() ? 1470 : 1500, 1 + experiment.flows(), metric, unit);
    }

    private Double median(Experiment experiment, String metric, String unit) {
        return samples().median(key(experiment, metric, unit));
    }

    @Override
    public List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        for (Experiment experiment : Experiment.ALL) {
            String name = "qbss, " + experiment.name() + ": ";
            targets.add(Target.atLeast(name + "LBE alone, % of what the link carries", median(experiment, "LBE-alone", "%"), 95));
            targets.add(experiment.isDatagrams() ? Target.atLeast(name + "BE that arrives, %", median(experiment, "BE-arrived", "%"), 99)
                    : Target.atMost(name + "LBE beside BE, % of what the link carries", median(experiment, "LBE-beside", "%"), 5));
            targets.add(Target.atMost(name + "LBE has 90 % again after BE, s", median(experiment, "LBE-back", "s"), 3));
        }
        return targets;
    }

    @Override
    public void print(PrintWriter out) {
        out.printf("%nLBE beside best effort (DataGRID, annex A): shares of 99 and 1 %%, the link carries %.1f Mbit/s of TCP payload", capacity / MEGA);
        new Table<Experiment>("best effort", experiment -> experiment.name() + " (figure " + experiment.figure() + ")")
                .median("LBE alone %", "%.1f", samples(), experiment -> key(experiment, "LBE-alone", "%"))
                .median("LBE beside %", "%.2f", samples(), experiment -> key(experiment, "LBE-beside", "%"))
                .median("BE %", "%.2f", samples(), experiment -> key(experiment, "BE", "%"))
                .median("LBE back, s", "%.1f", samples(), experiment -> key(experiment, "LBE-back", "s"))
                .print(out, Experiment.ALL);
        out.println("% of what the link carries, of datagrams % of what was offered; LBE back: 90 % again, for half a second.");
    }

    private List<Series> runs(Experiment experiment) {
        return series.stream().filter(each -> each.experiment().equals(experiment)).toList();
    }

    private static String name(int flow) {
        return flow == Series.LBE ? "lbe" : "be" + flow;
    }

    /** The rate of each flow for each second. */
    @Override
    public Map<String, String> csv() {
        Map<String, String> files = new LinkedHashMap<>();
        for (Experiment experiment : Experiment.ALL) {
            StringBuilder csv = new StringBuilder("run,second,flow,mbit\r\n");
            List<Series> runs = runs(experiment);
            for (int run = 0; run < runs.size(); run++) {
                for (int second = 0; second < runs.get(run).times().end(experiment); second++) {
                    for (int flow = 0; flow <= experiment.flows(); flow++) {
                        csv.append(String.format(Locale.ROOT, "%d,%d,%s,%.3f\r\n", run + 1, second, name(flow),
                                runs.get(run).rate(flow, second, second + 1) / MEGA));
                    }
                }
            }
            files.put("qbss-" + experiment.name(), csv.toString());
        }
        return files;
    }

    @Override
    public Map<String, Chart> charts() {
        Map<String, Chart> charts = new LinkedHashMap<>();
        series.forEach(run -> charts.computeIfAbsent("qbss-" + run.experiment().name(), unused -> chart(run)));
        return charts;
    }

    private static Chart chart(Series run) {
        Experiment experiment = run.experiment();
        Chart chart = new Chart(experiment.title(), "seconds", "Mbit/s of payload", Axes.LINEAR, List.of("Each point is the second that ends there; the first run."));
        for (int flow = 0; flow <= experiment.flows(); flow++) {
            Chart.Series line = chart.line(name(flow).toUpperCase(Locale.ROOT), COLOURS[flow], false);
            for (int second = 0; second < run.times().end(experiment); second++) {
                line.add(second + 1, run.rate(flow, second, second + 1) / MEGA);
            }
        }
        return chart;
    }
}
