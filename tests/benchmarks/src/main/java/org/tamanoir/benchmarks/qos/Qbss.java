package org.tamanoir.benchmarks.qos;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.plot.Chart.Axes;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.qos.edge.Bottleneck;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.lab.FlowReceiver;
import org.tamanoir.lab.FlowReceiver.FlowReport;
import org.tamanoir.lab.Flows;
import org.tamanoir.lab.QosTestbed;

/**
 * Background traffic beside best effort ("DataGRID network services", 2002, annex A), and how it keeps the three rules of the annex: LBE yields, is not
 * starved, and takes what is left.
 */
public final class Qbss extends MeasuredOutcome {
    static final int BE = 0;
    /** CS1, as in the paper; today's code point of LBE is 1. */
    static final int LBE = 8;
    /** A host for each flow at either side. The first pair has the stream of LBE. */
    private static final int HOSTS = 1 + 3;
    private static final int PAYLOAD = 1470;
    /** What Linux had in 2002 and has: both halve, or nearly, when something is lost. */
    private static final String CONTROL = "cubic";
    private static final double MEGA = 1e6;
    private static final double FULL = 0.9;
    private static final String[] COLOURS = {"#c8553d", "#0b6e4f", "#3d6fc8", "#c89b3d"};

    /**
     * An experiment: one stream of LBE all the time, and best effort for a while.
     *
     * @param figure  of the paper
     * @param name    for files and rows
     * @param streams of best effort, or 0 for datagrams at half the rate of the link
     */
    record Experiment(int figure, String name, int streams) {
        static final List<Experiment> ALL = List.of(new Experiment(6, "one-stream", 1), new Experiment(7, "three-streams", 3),
                new Experiment(8, "datagrams", 0));

        /** How many flows of best effort there are. */
        int flows() {
            return Math.max(1, streams);
        }

        boolean isDatagrams() {
            return streams == 0;
        }

        private Key key(String metric, String unit) {
            return new Key("qbss-" + name, "tamanoir-domain", isDatagrams() ? 1470 : 1500, 1 + flows(), metric, unit);
        }
    }

    /**
     * When what happens, in seconds from the first octet of LBE.
     *
     * @param begin  the first flow of best effort begins
     * @param apart  and each other so much later, and ends so much later
     * @param length of each flow of best effort
     * @param after  how long LBE goes on alone
     */
    record Times(double begin, double apart, double length, double after) {
        private static final Times WHOLE = new Times(6, 2, 8, 6);
        private static final Times QUICK = new Times(2, 0.5, 3, 3);

        double begin(int flow) {
            return begin + apart * flow;
        }

        double end(int flow) {
            return begin(flow) + length;
        }

        double end(Experiment experiment) {
            return end(experiment.flows() - 1) + after;
        }
    }

    /**
     * What came in one run of an experiment.
     *
     * @param came of each flow: 0 is LBE, the others are best effort
     * @param sent octets of best effort
     */
    record Series(Experiment experiment, Times times, List<FlowReport> came, long sent) {
        /** The first second is left to streams to find their rates. */
        private static final double SETTLING = 1;
        private static final double STEP = FlowReport.BIN;

        /** Bits of payload a second of a flow between two times. */
        double rate(int flow, double from, double to) {
            return came.get(flow).rate(flow == 0 || !experiment.isDatagrams(), flow == 0 ? LBE : BE, from, to);
        }

        /** The rate while all flows run and have found their rates. */
        private double together(int flow) {
            return rate(flow, times.begin(experiment.flows() - 1) + SETTLING, times.end(0));
        }

        /**
         * Seconds from the end of best effort until LBE has a rate again, kept for half a second.
         *
         * @param rate bits of payload a second
         * @return infinite if it never has
         */
        double back(double rate) {
            double from = times.end(experiment.flows() - 1);
            for (double at = from; at + 5 * STEP <= times.end(experiment) + STEP / 2; at += STEP) {
                if (rate(0, at, at + 5 * STEP) >= rate) {
                    return at - from;
                }
            }
            return Double.POSITIVE_INFINITY;
        }
    }

    private final long rate;
    /** Of payload in full segments. */
    private final double capacity;
    private final List<Series> series = new ArrayList<>();

    /** @param rate of the link */
    Qbss(long rate, Measurements measured) {
        super("qbss", measured);
        this.rate = rate;
        this.capacity = rate * Bottleneck.TCP_PART;
    }

    public static Outcome run(QosPlan plan, Consumer<String> progress) {
        return run(plan.rate(), Experiment.ALL, plan.runs(), plan.quick() ? Times.QUICK : Times.WHOLE, progress);
    }

    static Qbss run(long rate, List<Experiment> experiments, int runs, Times times, Consumer<String> progress) {
        Measurements measured = new Measurements(progress);
        Qbss qbss = new Qbss(rate, measured);
        try (QosTestbed testbed = QosTestbed.open(HOSTS, HOSTS)) {
            // 99 % and 1 % of the link, and what one class leaves is the other's.
            Bottleneck.apply(testbed, "{rate: %dbit, classes: {be: {rate: 99%%, queue: 100ms}, lbe: {rate: 1%%, queue: 20ms, code-points: [1, 8]}}}", rate);
            List<FlowReceiver> receivers = IntStream.rangeClosed(1, HOSTS).mapToObj(i -> FlowReceiver.start(testbed.delivery(i).second())).toList();
            measured.rounds(0, runs, run -> experiments.forEach(experiment -> measured.attempt(experiment.name() + ", " + Measurements.name(run),
                    () -> qbss.add(qbss.run(testbed, receivers, experiment, times)))));
        }
        return qbss;
    }

    private Series run(QosTestbed testbed, List<FlowReceiver> receivers, Experiment experiment, Times times) {
        receivers.forEach(FlowReceiver::begin);
        long begin = System.nanoTime();
        Flows.Flow background = Flows.stream(testbed.sender(1), receivers.get(0), LBE, CONTROL, times.end(experiment));
        List<Flows.Flow> flows = new ArrayList<>();
        for (int i = 0; i < experiment.flows(); i++) {
            Pause.millis(Math.max(0, Math.round(1e3 * times.begin(i) - (System.nanoTime() - begin) / 1e6)));
            FlowReceiver to = receivers.get(i + 1);
            flows.add(experiment.isDatagrams() ? Flows.datagrams(testbed.sender(i + 2), to, BE, PAYLOAD, offered(), times.length())
                    : Flows.stream(testbed.sender(i + 2), to, BE, CONTROL, times.length()));
        }
        long sent = flows.stream().map(Flows.Flow::sent).mapToLong(Flows.Sent::octets).sum();
        background.sent();
        return new Series(experiment, times, receivers.subList(0, 1 + experiment.flows()).stream().map(FlowReceiver::report).toList(), sent);
    }

    /** Half of the link in payload of datagrams. */
    private double offered() {
        return rate / 2.0 * PAYLOAD / (PAYLOAD + Bottleneck.UDP_HEADERS);
    }

    void add(Series run) {
        series.add(run);
        Experiment experiment = run.experiment;
        boolean datagrams = experiment.isDatagrams();
        measured.add(experiment.key("LBE-alone", "%"), 100 * run.rate(0, Series.SETTLING, run.times.begin) / capacity);
        measured.add(experiment.key("LBE-beside", "%"), 100 * run.together(0) / capacity);
        measured.add(experiment.key("LBE-back", "s"), run.back(FULL * capacity));
        if (datagrams) {
            double octets = run.came.get(1).counts().stream().mapToDouble(FlowReport.Count::octets).sum();
            measured.add(experiment.key("BE-arrived", "%"), 100 * octets / run.sent);
        }
        measured.add(experiment.key("BE", "%"), 100 * IntStream.rangeClosed(1, experiment.flows()).mapToDouble(run::together).sum()
                / (datagrams ? offered() : capacity));
    }

    @Override
    public List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        for (Experiment experiment : Experiment.ALL) {
            String name = "qbss, " + experiment.name + ": ";
            targets.add(Target.atLeast(name + "LBE alone, % of what the link carries", samples().median(experiment.key("LBE-alone", "%")), 95));
            targets.add(experiment.isDatagrams() ? Target.atLeast(name + "BE that arrives, %", samples().median(experiment.key("BE-arrived", "%")), 99)
                    : Target.atMost(name + "LBE beside BE, % of what the link carries", samples().median(experiment.key("LBE-beside", "%")), 5));
            targets.add(Target.atMost(name + "LBE has 90 % again after BE, s", samples().median(experiment.key("LBE-back", "s")), 3));
        }
        return targets;
    }

    @Override
    public void print(PrintWriter out) {
        out.printf("%nLBE beside best effort (DataGRID, annex A): shares of 99 and 1 %%, the link carries %.1f Mbit/s of TCP payload", capacity / MEGA);
        new Table<Experiment>("best effort", experiment -> experiment.name + " (figure " + experiment.figure + ")")
                .median("LBE alone %", "%.1f", samples(), experiment -> experiment.key("LBE-alone", "%"))
                .median("LBE beside %", "%.2f", samples(), experiment -> experiment.key("LBE-beside", "%"))
                .median("BE %", "%.2f", samples(), experiment -> experiment.key("BE", "%"))
                .median("LBE back, s", "%.1f", samples(), experiment -> experiment.key("LBE-back", "s"))
                .print(out, Experiment.ALL);
        out.println("% of what the link carries, of datagrams % of what was offered; LBE back: 90 % again, for half a second.");
    }

    private static String name(int flow) {
        return flow == 0 ? "lbe" : "be" + flow;
    }

    /** The rate of each flow for each second. */
    @Override
    public Map<String, String> csv() {
        Map<String, String> files = new LinkedHashMap<>();
        for (Experiment experiment : Experiment.ALL) {
            StringBuilder csv = new StringBuilder("run,second,flow,mbit\r\n");
            List<Series> runs = series.stream().filter(each -> each.experiment.equals(experiment)).toList();
            for (int run = 0; run < runs.size(); run++) {
                for (int second = 0; second < runs.get(run).times.end(experiment); second++) {
                    for (int flow = 0; flow <= experiment.flows(); flow++) {
                        csv.append(String.format(Locale.ROOT, "%d,%d,%s,%.3f\r\n", run + 1, second, name(flow),
                                runs.get(run).rate(flow, second, second + 1) / MEGA));
                    }
                }
            }
            files.put("qbss-" + experiment.name, csv.toString());
        }
        return files;
    }

    @Override
    public Map<String, Chart> charts() {
        Map<String, Chart> charts = new LinkedHashMap<>();
        series.forEach(run -> charts.computeIfAbsent("qbss-" + run.experiment.name, unused -> chart(run)));
        return charts;
    }

    private static Chart chart(Series run) {
        Experiment experiment = run.experiment;
        Chart chart = new Chart(String.format(Locale.ROOT, "LBE beside best effort: %s (figure %d)", experiment.name.replace('-', ' '), experiment.figure),
                "seconds", "Mbit/s of payload", Axes.LINEAR, List.of("Each point is the second that ends there; the first run."));
        for (int flow = 0; flow <= experiment.flows(); flow++) {
            Chart.Series line = chart.line(name(flow).toUpperCase(Locale.ROOT), COLOURS[flow], false);
            for (int second = 0; second < run.times.end(experiment); second++) {
                line.add(second + 1, run.rate(flow, second, second + 1) / MEGA);
            }
        }
        return chart;
    }
}
