package org.tamanoir.benchmarks.qos.qbss;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.plot.Chart.Axes;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Target;

/** The series, and how they keep the three rules of the annex: LBE yields, is not starved, and takes what is left. */
final class QbssOutcome implements Outcome {
    private static final String SYSTEM = "tamanoir-domain";
    private static final double MEGA = 1e6;
    private static final double FULL = 0.9;
    private static final String[] COLOURS = {"#c8553d", "#0b6e4f", "#3d6fc8", "#c89b3d"};

    private final double capacity;
    private final double datagrams;
    private final List<Series> series;
    private final List<String> failures;
    private final Samples samples = new Samples();

    QbssOutcome(double capacity, double datagrams, List<Series> series, List<String> failures) {
        this.capacity = capacity;
        this.datagrams = datagrams;
        this.series = series;
        this.failures = failures;
        series.forEach(this::judge);
    }

    private void judge(Series run) {
        Experiment experiment = run.experiment();
        samples.add(key(experiment, "LBE-alone", "%"), 100 * run.alone() / capacity);
        samples.add(key(experiment, "LBE-beside", "%"), 100 * run.beside() / capacity);
        samples.add(key(experiment, "LBE-back", "s"), run.back(FULL * capacity));
        if (experiment.isDatagrams()) {
            samples.add(key(experiment, "BE-arrived", "%"), 100 * run.arrived());
            samples.add(key(experiment, "BE", "%"), 100 * run.allBe() / datagrams);
        } else {
            samples.add(key(experiment, "BE", "%"), 100 * run.allBe() / capacity);
        }
    }

    private static Samples.Key key(Experiment experiment, String metric, String unit) {
        return new Samples.Key("qbss-" + experiment.name(), SYSTEM, experiment.isDatagrams() ? 1470 : 1500, 1 + experiment.flows(), metric, unit);
    }

    @Override
    public List<Row> rows() {
        return samples.rows();
    }

    @Override
    public List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        for (Experiment experiment : Experiment.ALL) {
            String name = "qbss, " + experiment.name() + ": ";
            targets.add(Target.atLeast(name + "LBE alone, % of what the link carries", samples.median(key(experiment, "LBE-alone", "%")), 95));
            if (experiment.isDatagrams()) {
                targets.add(Target.atLeast(name + "BE that arrives, %", samples.median(key(experiment, "BE-arrived", "%")), 99));
            } else {
                targets.add(Target.atMost(name + "LBE beside BE, % of what the link carries", samples.median(key(experiment, "LBE-beside", "%")), 5));
            }
            targets.add(Target.atMost(name + "LBE has 90 % again after BE, s", samples.median(key(experiment, "LBE-back", "s")), 3));
        }
        return targets;
    }

    @Override
    public List<String> failures() {
        return failures;
    }

    @Override
    public void print(PrintWriter out) {
        out.printf("%nLBE beside best effort (DataGRID, annex A): shares of 99 and 1 %%, the link carries %.1f Mbit/s of TCP payload%n", capacity / MEGA);
        out.printf("%-26s %12s %12s %14s %14s%n", "best effort", "LBE alone %", "LBE beside %", "BE %", "LBE back, s");
        for (Experiment experiment : Experiment.ALL) {
            if (samples.median(key(experiment, "BE", "%")) != null) {
                out.printf("%-26s %12.1f %12.2f %14.2f %14.1f%n", experiment.name() + " (figure " + experiment.figure() + ")",
                        samples.median(key(experiment, "LBE-alone", "%")), samples.median(key(experiment, "LBE-beside", "%")),
                        samples.median(key(experiment, "BE", "%")), samples.median(key(experiment, "LBE-back", "s")));
            }
        }
        out.println("% of what the link carries, of datagrams % of what was offered; LBE back: 90 % again, for half a second.");
    }

    @Override
    public Map<String, String> csv() {
        Map<String, String> files = new LinkedHashMap<>();
        for (Experiment experiment : Experiment.ALL) {
            StringBuilder csv = new StringBuilder("run,second,flow,mbit\r\n");
            List<Series> runs = runs(experiment);
            for (int run = 0; run < runs.size(); run++) {
                Series each = runs.get(run);
                for (int second = 0; second < each.times().end(experiment); second++) {
                    csv.append(String.format(Locale.ROOT, "%d,%d,lbe,%.3f\r\n", run + 1, second, each.lbe(second, second + 1) / MEGA));
                    for (int flow = 0; flow < experiment.flows(); flow++) {
                        csv.append(String.format(Locale.ROOT, "%d,%d,be%d,%.3f\r\n", run + 1, second, flow + 1, each.be(flow, second, second + 1) / MEGA));
                    }
                }
            }
            files.put("qbss-" + experiment.name(), csv.toString());
        }
        return files;
    }

    private List<Series> runs(Experiment experiment) {
        return series.stream().filter(each -> each.experiment().equals(experiment)).toList();
    }

    @Override
    public Map<String, Chart> charts() {
        Map<String, Chart> charts = new LinkedHashMap<>();
        for (Experiment experiment : Experiment.ALL) {
            runs(experiment).stream().findFirst().ifPresent(run -> charts.put("qbss-" + experiment.name(), chart(run)));
        }
        return charts;
    }

    private static Chart chart(Series run) {
        Experiment experiment = run.experiment();
        Chart chart = new Chart(experiment.title(), "seconds", "Mbit/s of payload", Axes.LINEAR, List.of("Each point is the second that ends there; the first run."));
        for (int flow = -1; flow < experiment.flows(); flow++) {
            var line = new org.tamanoir.benchmarks.plot.Chart.Series(flow < 0 ? "LBE" : "BE " + (flow + 1), COLOURS[flow + 1], false);
            for (int second = 0; second < run.times().end(experiment); second++) {
                line.add(second + 1, (flow < 0 ? run.lbe(second, second + 1) : run.be(flow, second, second + 1)) / MEGA);
            }
            chart.series().add(line);
        }
        return chart;
    }
}
