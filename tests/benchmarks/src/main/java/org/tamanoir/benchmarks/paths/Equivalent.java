package org.tamanoir.benchmarks.paths;

import java.io.PrintWriter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.paths.EdsRuns.Bulk;
import org.tamanoir.benchmarks.paths.EdsRuns.Router;
import org.tamanoir.benchmarks.paths.EdsRuns.Transport;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.plot.Chart.Axes;
import org.tamanoir.benchmarks.plot.Chart.Series;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.qos.eds.EdsParameters;
import org.tamanoir.qos.eds.Marking;
import org.tamanoir.qos.eds.ShortMessageMarking;
import org.tamanoir.qos.eds.SimulatedLink.ClassCount;

/**
 * Equivalent differentiated services (DataTAG D2.2, 2003, section 4): what each class gets in delay and loss, in simulation and by the module in user-mode Linux, and
 * what transports gain that know the classes: figures 38 to 41.
 */
final class Equivalent extends MeasuredOutcome {
    private static final String SIMULATED = "simulation";
    private static final String MODULE = "sch_eds in user-mode Linux";
    private static final int CLASSES = 6;
    private static final double OVER = 1.05;
    private static final double UNDER = 0.9;
    /** Load of the datagrams that a transfer meets at the congested router: together with it, more than the link carries. */
    private static final double UDP = 0.98;
    private static final double SHORT_TRIP = 0.2;
    private static final double LONG_TRIP = 200;
    private static final int PARTS = 300;
    private static final List<String> COLOURS = List.of("#0b6e4f", "#c8553d", "#33658a", "#8a6d3b");

    private final double[][] losses;
    private final double[][] ratios;

    private Equivalent(Measurements measured, double[][] losses, double[][] ratios) {
        super("eds", measured);
        this.losses = losses;
        this.ratios = ratios;
    }

    static Outcome measure(PathsPlan plan, Consumer<String> progress) {
        Measurements measured = new Measurements(progress);
        double seconds = plan.quick() ? 60 : 100;
        EdsParameters infinite = EdsRuns.tail(200 * EdsRuns.PACKET, 0, EdsParameters.DELAY, EdsParameters.LOSS);
        EdsParameters recent = EdsRuns.tail(200 * EdsRuns.PACKET, 1_200, EdsParameters.DELAY, EdsParameters.LOSS);
        for (int round = 0; round < plan.rounds().count(); round++) {
            long seed = plan.seed() + round;
            measured.doing("classes, seed " + seed);
            classes(measured, "PLR(inf)", SIMULATED, EdsRuns.classes(infinite, OVER, seconds, seed));
            classes(measured, "PLR(1200)", SIMULATED, EdsRuns.classes(recent, OVER, seconds, seed));
            classes(measured, "no diff", SIMULATED, EdsRuns.classes(EdsRuns.tail(200 * EdsRuns.PACKET, 0, EdsParameters.SAME, EdsParameters.SAME), OVER, seconds, seed));
            classes(measured, "0.9 EDSRED", SIMULATED, EdsRuns.classes(EdsRuns.early(1_200, EdsParameters.DELAY, EdsParameters.LOSS), UNDER, seconds, seed));
            classes(measured, "0.9 EDSRED, PLR(inf)", SIMULATED, EdsRuns.classes(EdsRuns.early(0, EdsParameters.DELAY, EdsParameters.LOSS), UNDER, seconds, seed));
            classes(measured, "0.9 tail drop", SIMULATED, EdsRuns.classes(recent, UNDER, seconds, seed));
            measured.doing("transfers, seed " + seed);
            transfers(measured, seed, plan.quick() ? 20 : 40);
            measured.doing("messages, seed " + seed);
            messages(measured, seed, plan.quick() ? 60 : 300);
        }
        if (!plan.quick()) {
            measured.attempt("the module in user-mode Linux", () -> classes(measured, "PLR(inf)", MODULE, EdsKernel.run(infinite, 2 * plan.rounds().seconds(), progress)));
        }
        return new Equivalent(measured, lossSeries(plan.seed()), ratioSeries(plan.seed()));
    }

    private static Key key(String what, String system, String metric, String unit) {
        return new Key(what, system, EdsRuns.PACKET, CLASSES, metric, unit);
    }

    private static Key key(String what, String system, String metric, int c) {
        return key(what, system, metric + " of class " + (c + 1), metric.endsWith("ratio") ? "ratio" : metric.equals("delay") ? "ms" : "%");
    }

    private static void classes(Measurements measured, String what, String system, List<ClassCount> counts) {
        for (int i = 0; i < CLASSES; i++) {
            measured.add(key(what, system, "delay", i), counts.get(i).delay());
            measured.add(key(what, system, "loss", i), 100 * counts.get(i).lossRate());
            measured.add(key(what, system, "delay ratio", i), counts.get(i).delay() / counts.get(0).delay());
            if (counts.get(CLASSES - 1).lost() > 0) {
                measured.add(key(what, system, "loss ratio", i), counts.get(i).lossRate() / counts.get(CLASSES - 1).lossRate());
            }
        }
    }

    private static String transferName(double load, double roundTrip) {
        return (load > 0 ? "congested" : "no overload") + ", " + (roundTrip > 1 ? "200 ms" : "no delay");
    }

    private static void transfers(Measurements measured, long seed, double seconds) {
        for (double roundTrip : new double[] {SHORT_TRIP, LONG_TRIP}) {
            for (double load : new double[] {0, UDP}) {
                for (Transport transport : Transport.values()) {
                    for (Router router : Router.values()) {
                        Bulk bulk = EdsRuns.bulk(router, transport, load, roundTrip, roundTrip > 1 ? 3 * seconds : seconds, seed);
                        String what = transferName(load, roundTrip);
                        measured.add(key(what, router.name(), transport.name() + " rate", "Mbit/s"), bulk.rate());
                        measured.add(key(what, router.name(), transport.name() + " timeouts", "count"), bulk.timeouts());
                    }
                }
            }
        }
    }

    private static void messages(Measurements measured, long seed, int count) {
        Map<String, Marking> senders = new LinkedHashMap<>();
        senders.put("SM-TP", new ShortMessageMarking(CLASSES));
        senders.put("burst in class 1", Marking.fixed(0));
        senders.put("burst in class 3", Marking.fixed(EdsRuns.MIDDLE));
        senders.put("slow start in class 3", Marking.fixed(EdsRuns.MIDDLE));
        senders.forEach((name, marking) -> {
            for (double load : new double[] {0.3, OVER}) {
                double[] trips = EdsRuns.messages(marking, name.startsWith("slow") ? 1 : 4, load, count, seed);
                String what = "message at load " + load;
                measured.add(key(what, name, "median", "RTT"), trips[trips.length / 2]);
                measured.add(key(what, name, "mean", "RTT"), Arrays.stream(trips).average().orElse(0));
                measured.add(key(what, name, "p95", "RTT"), trips[trips.length * 95 / 100]);
            }
        });
    }

    /** Percent lost in each tenth of a second, at load 1.05: by RED, and by tail drop. */
    private static double[][] lossSeries(long seed) {
        return new double[][] {
            series(EdsRuns.series(EdsRuns.early(1_200, EdsParameters.SAME, EdsParameters.SAME), OVER, PARTS, seed), Equivalent::lossOfAll),
            series(EdsRuns.series(EdsRuns.tail(100_000, 1_200, EdsParameters.SAME, EdsParameters.SAME), OVER, PARTS, seed), Equivalent::lossOfAll)};
    }

    /** Losses of class 1 for one of class 6 in each second at load 0.9: with RED, and at the limit alone. */
    private static double[][] ratioSeries(long seed) {
        return new double[][] {
            seconds(EdsRuns.series(EdsRuns.early(1_200, EdsParameters.DELAY, EdsParameters.LOSS), UNDER, PARTS, seed)),
            seconds(EdsRuns.series(EdsRuns.tail(100_000, 1_200, EdsParameters.DELAY, EdsParameters.LOSS), UNDER, PARTS, seed))};
    }

    private static double[] series(List<List<ClassCount>> parts, ToDoubleFunction<List<ClassCount>> figure) {
        return parts.stream().mapToDouble(figure).toArray();
    }

    private static double[] seconds(List<List<ClassCount>> parts) {
        return IntStream.range(0, parts.size() / 10).mapToDouble(second -> {
            long quickest = parts.subList(10 * second, 10 * second + 10).stream().mapToLong(part -> part.get(0).lost()).sum();
            long safest = parts.subList(10 * second, 10 * second + 10).stream().mapToLong(part -> part.get(CLASSES - 1).lost()).sum();
            return safest == 0 ? 0 : (double) quickest / safest;
        }).toArray();
    }

    private static double lossOfAll(List<ClassCount> part) {
        long arrived = part.stream().mapToLong(ClassCount::arrived).sum();
        return arrived == 0 ? 0 : 100.0 * part.stream().mapToLong(ClassCount::lost).sum() / arrived;
    }

    private Double median(String what, String system, String metric, int c) {
        return samples().median(key(what, system, metric, c));
    }

    private Double median(String what, String system, String metric, String unit) {
        return samples().median(key(what, system, metric, unit));
    }

    /** How far ratios are from their factors at most, in percent; null if they were not measured. */
    private Double worst(String what, String system, String metric, List<Integer> factors) {
        if (median(what, system, metric, 0) == null) {
            return null;
        }
        int base = metric.startsWith("delay") ? 0 : CLASSES - 1;
        return IntStream.range(0, CLASSES).mapToDouble(i -> 100 * Math.abs(median(what, system, metric, i) * factors.get(base) / factors.get(i) - 1)).max().orElseThrow();
    }

    @Override
    public List<Target> targets() {
        String congested = transferName(UDP, SHORT_TRIP);
        Double same = median(congested, Router.NO_DIFF.name(), "LM_TP rate", "Mbit/s");
        Double differ = median(congested, Router.DIFF.name(), "LM_TP rate", "Mbit/s");
        Double tailLoss = median("0.9 tail drop", SIMULATED, "loss", 0);
        return List.of(
                Target.atMost("eds: delays at load 1.05, percent off their factors", worst("PLR(inf)", SIMULATED, "delay ratio", EdsParameters.DELAY), 3),
                Target.atMost("eds: losses at load 1.05, percent off their factors", worst("PLR(inf)", SIMULATED, "loss ratio", EdsParameters.LOSS), 2),
                Target.atMost("eds: losses of the last 1200 arrivals, percent off", worst("PLR(1200)", SIMULATED, "loss ratio", EdsParameters.LOSS), 10),
                Target.atMost("eds: classes of equal factors, percent apart in delay", worst("no diff", SIMULATED, "delay ratio", EdsParameters.SAME), 0.1),
                Target.atMost("eds: and in loss", worst("no diff", SIMULATED, "loss ratio", EdsParameters.SAME), 0.1),
                Target.atLeast("eds: losses of class 1 for one of class 6, EDSRED at load 0.9", median("0.9 EDSRED", SIMULATED, "loss ratio", 0), 2.5),
                Target.atMost("eds: percent that tail drop loses at load 0.9", tailLoss, 0),
                Target.atLeast("eds: transfers without overload or delay, Mbit/s (2003: 94)",
                        median(transferName(0, SHORT_TRIP), Router.DIFF.name(), "LM_TP rate", "Mbit/s"), 93),
                Target.atLeast("eds: LM-TP at a congested router, with differentiation over without", differ == null ? null : differ / same, 1.5),
                Target.atMost("eds: SM-TP without loss, round trips", median("message at load 0.3", "SM-TP", "p95", "RTT"), 1.05),
                Target.atMost("eds: delays of real packets, percent off their factors", worst("PLR(inf)", MODULE, "delay ratio", EdsParameters.DELAY), 3),
                Target.atMost("eds: losses of real packets, percent off their factors", worst("PLR(inf)", MODULE, "loss ratio", EdsParameters.LOSS), 2));
    }

    @Override
    public void print(PrintWriter out) {
        out.printf("%nEquivalent classes (DataTAG D2.2, section 4): 100 Mbit/s, simulated; Poisson arrivals of 1,000 octets, alike in six classes; delay factors "
                + "10 12 15 20 30 60, loss factors 60 30 20 15 12 10.%nLimit 200 packets without RED, 100,000 octets with (min 6000 max 80000 probability 0.1 avpkt "
                + "1065 burst 30). The module: 10 Mbit/s, six constant flows, load 1.1.%n");
        Table<String[]> classes = new Table<>("classes", each -> each[0] + ", " + each[1]);
        classes.text("delay, of class 1's", each -> text(each, "delay ratio")).text("loss, of class 6's", each -> text(each, "loss ratio"))
                .text("delay, ms", each -> text(each, "delay")).text("loss, %", each -> text(each, "loss"));
        classes.print(out, List.of(new String[] {"PLR(inf)", SIMULATED}, new String[] {"PLR(inf)", MODULE}, new String[] {"PLR(1200)", SIMULATED},
                new String[] {"no diff", SIMULATED}, new String[] {"0.9 EDSRED", SIMULATED}, new String[] {"0.9 EDSRED, PLR(inf)", SIMULATED},
                 new String[] {"0.9 tail drop", SIMULATED}));
        for (Transport transport : Transport.values()) {
            Table<String> table = new Table<>(transport + ", Mbit/s of payload (timeouts)", name -> name);
            for (Router router : Router.values()) {
                table.text(router.name(), name -> String.format(Locale.ROOT, "%.2f (%.0f)", median(name, router.name(), transport + " rate", "Mbit/s"),
                        median(name, router.name(), transport + " timeouts", "count")));
            }
            table.print(out, List.of(transferName(0, SHORT_TRIP), transferName(UDP, SHORT_TRIP), transferName(0, LONG_TRIP), transferName(UDP, LONG_TRIP)));
        }
        out.println("Datagrams of load " + UDP + ", Poisson, alike in all classes, among them. 2003, figures 40 and 41: 94 Mbit/s without load; when congested LM-TP gets \"much greater "
                + "bandwidth\" with differentiation; at a round trip of 200 ms \"the protocols showed the same performance on all router\": the report's own negative finding.");
        Table<String> messages = new Table<>("messages of 4 packets, round trips of 50 ms: median / mean / p95", name -> name);
        for (double load : new double[] {0.3, OVER}) {
            messages.text("load " + load, name -> String.format(Locale.ROOT, "%.2f / %.2f / %.2f", message(load, name, "median"), message(load, name, "mean"),
                    message(load, name, "p95")));
        }
        messages.print(out, List.of("SM-TP", "burst in class 1", "burst in class 3", "slow start in class 3"));
    }

    private Double message(double load, String name, String metric) {
        return median("message at load " + load, name, metric, "RTT");
    }

    private String text(String[] of, String metric) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < CLASSES; i++) {
            Double value = median(of[0], of[1], metric, i);
            text.append(i == 0 ? "" : " ").append(value == null ? "-" : String.format(Locale.ROOT, "%.3f", value));
        }
        return text.toString();
    }

    @Override
    public Map<String, String> csv() {
        Map<String, String> all = new LinkedHashMap<>(super.csv());
        StringBuilder time = new StringBuilder("seconds,loss_red_percent,loss_tail_percent\r\n");
        for (int i = 0; i < PARTS; i++) {
            time.append(String.format(Locale.ROOT, "%.1f,%.3f,%.3f\r\n", i / 10.0, losses[0][i], losses[1][i]));
        }
        all.put("eds-figure-38", time.toString());
        StringBuilder ratio = new StringBuilder("seconds,ratio_edsred,ratio_eds\r\n");
        for (int i = 0; i < ratios[0].length; i++) {
            ratio.append(String.format(Locale.ROOT, "%d,%.3f,%.3f\r\n", i, ratios[0][i], ratios[1][i]));
        }
        all.put("eds-figure-39", ratio.toString());
        return all;
    }

    @Override
    public Map<String, Chart> charts() {
        Chart figure38 = new Chart("EDS, figure 38: losses over time", "seconds", "percent lost in a tenth of a second", Axes.LINEAR, List.of("Load 1.05."));
        Series red = figure38.line("RED", COLOURS.get(0), false);
        Series tail = figure38.line("tail drop", COLOURS.get(1), false);
        IntStream.range(0, PARTS).forEach(i -> {
            red.add(i / 10.0, losses[0][i]);
            tail.add(i / 10.0, losses[1][i]);
        });
        Chart figure39 = new Chart("EDS, figure 39: loss ratio without congestion", "seconds", "losses of class 1 for one of class 6", Axes.LINEAR,
                List.of("Load 0.9; the factors ask for 6. 0: nothing was lost in that second."));
        Series early = figure39.line("EDSRED", COLOURS.get(0), false);
        Series late = figure39.line("EDS", COLOURS.get(1), false);
        IntStream.range(0, ratios[0].length).forEach(i -> {
            early.add(i, ratios[0][i]);
            late.add(i, ratios[1][i]);
        });
        Map<String, Chart> charts = new LinkedHashMap<>();
        charts.put("eds-figure-38", figure38);
        charts.put("eds-figure-39", figure39);
        charts.put("eds-figure-40", bandwidth("EDS, figure 40: a transfer at a congested router, no delay", SHORT_TRIP));
        charts.put("eds-figure-41", bandwidth("EDS, figure 41: the same with 200 ms", LONG_TRIP));
        return charts;
    }

    private Chart bandwidth(String title, double roundTrip) {
        Chart chart = new Chart(title, "router: 1 IP, 2 red, 3 no diff, 4 diff", "Mbit/s of payload", Axes.LINEAR,
                List.of("Datagrams of load " + UDP + " beside it."));
        for (Transport transport : Transport.values()) {
            Series line = chart.line(transport.name().replace('_', '-'), COLOURS.get(transport.ordinal()), false);
            for (Router router : Router.values()) {
                line.add(router.ordinal() + 1, median(transferName(UDP, roundTrip), router.name(), transport + " rate", "Mbit/s"));
            }
        }
        return chart;
    }
}
