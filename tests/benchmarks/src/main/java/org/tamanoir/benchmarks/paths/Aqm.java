package org.tamanoir.benchmarks.paths;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.plot.Chart.Axes;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Target;

/**
 * Policers, queues and marks as "DataGRID network services" (2002) has them in figures 2, 3, 4, 10, 20 and 21: in shape, since its switches were hardware at a gigabit, and this
 * is a router of user-mode Linux.
 */
final class Aqm extends MeasuredOutcome {
    static final String NAME = "aqm";
    private static final double MEGA = 1e6;
    private static final long STREAM_CIR = 50_000_000;
    private static final long DATAGRAM_CIR = 80_000_000;
    private static final List<Integer> STREAM_BURSTS = List.of(3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 2_500_000);
    private static final List<Integer> DATAGRAM_BURSTS = List.of(1_600, 3_200, 5_000, 10_000, 20_000, 40_000, 80_000);
    /** The paper's: "the minimum burst size that has to be configured" for streams, and what datagrams need. */
    private static final int PAPER_STREAM_BURST = 2_500_000;
    private static final int PAPER_DATAGRAM_BURST = 40_000;
    private static final List<Integer> THRESHOLDS = List.of(2, 5, 10, 25, 50, 100);
    private static final int QUEUE_PACKETS = 200;
    private static final List<Integer> DENOMINATORS = List.of(100, 50, 20, 10, 5);
    /** Few, and long streams beside them: clients that fill the link by themselves lose nothing by what one of them waits. */
    private static final int CLIENTS = 8;
    private static final int BESIDE = 8;
    private static final int PAGE = 30_000;
    private static final int STREAMS = 64;
    /** Of figure 21, in packets; its uppermost range is 140 to 160. */
    private static final int FULL_QUEUE = 160;
    private static final int NEARLY_FULL = 140;
    private static final int LBE = 1;
    private static final int AF_TCP = 10;
    private static final int AF_UDP = 26;
    private static final String WITH = "ecn";
    private static final String WITHOUT = "loss";

    private final Map<String, double[]> queues = new LinkedHashMap<>();
    private double queueSeconds;

    private Aqm(Measurements measured) {
        super(NAME, measured);
    }

    private static Key key(String figure, String system, int x, String metric, String unit) {
        return new Key(figure, system, x, 0, metric, unit);
    }

    private static Key policedStream(int burst) {
        return key("figure 2: stream, policer of 50 Mbit/s", "burst", burst, "payload", "Mbit/s");
    }

    private static Key policedDatagrams(int burst) {
        return key("figure 3: datagrams of 80 Mbit/s, policer of 80", "burst", burst, "arrived", "%");
    }

    private static Key threshold(String what, int percent) {
        return key("figure 4: tail-drop threshold, % of the queue", what, percent, "payload", "Mbit/s");
    }

    private static Key beside(String metric, String unit) {
        return key("figure 10: streams of best effort, 20 ms", "LBE beside", 0, metric, unit);
    }

    private static Key transactions(String system, int denominator) {
        return key("figure 20: transactions, mark probability 1/x", system, denominator, "completed", "1/s");
    }

    private static Key gain(int denominator) {
        return key("figure 20: transactions, mark probability 1/x", WITH, denominator, "gain", "%");
    }

    private static Key queue(String system, String metric, String unit) {
        return key("figure 21: queue of 64 streams", system, 0, metric, unit);
    }

    static Outcome run(PathsPlan plan, Consumer<String> progress) {
        Measurements measured = new Measurements(progress);
        Aqm aqm = new Aqm(measured);
        double seconds = Math.max(2, plan.rounds().seconds() / 2);
        measured.attemptAny("a router with RED", () -> {
            try (AqmSite site = new AqmSite()) {
                measured.rounds(0, plan.rounds().count(), round -> {
                    measured.attempt("policers, " + Measurements.name(round), () -> aqm.policers(site, plan.quick(), seconds));
                    measured.attempt("thresholds, " + Measurements.name(round), () -> aqm.thresholds(site, plan.quick(), seconds));
                    measured.attempt("LBE beside, " + Measurements.name(round), () -> aqm.besideBest(site, seconds));
                    measured.attemptAny("transactions, " + Measurements.name(round), () -> aqm.marks(site, round, plan.quick(), seconds));
                    measured.attemptAny("queue, " + Measurements.name(round), () -> aqm.queues(site, round, 2 * seconds));
                });
            }
        });
        return aqm;
    }

    private static List<Integer> some(List<Integer> all, boolean quick) {
        return quick ? List.of(all.get(0), all.get(all.size() - 2), all.get(all.size() - 1)) : all;
    }

    private void policers(AqmSite site, boolean quick, double seconds) {
        site.noDomain();
        site.roundTrip(0);
        for (int burst : some(STREAM_BURSTS, quick)) {
            measured.doing("figure 2: burst of " + burst);
            site.police(STREAM_CIR, burst);
            measured.add(policedStream(burst), site.stream(seconds + 1) / MEGA);
        }
        for (int burst : some(DATAGRAM_BURSTS, quick)) {
            measured.doing("figure 3: burst of " + burst);
            site.police(DATAGRAM_CIR, burst);
            measured.add(policedDatagrams(burst), 100 * site.datagrams(DATAGRAM_CIR, seconds));
        }
        site.police(0, 0);
    }

    private void thresholds(AqmSite site, boolean quick, double seconds) {
        site.roundTrip(20);
        for (int percent : some(THRESHOLDS, quick)) {
            measured.doing("figure 4: threshold of " + percent + " %");
            int packets = QUEUE_PACKETS * percent / 100;
            site.domain("{rate: 40mbit, classes: {be: {rate: 5%%}, af-tcp: {rate: 45%%, ceil: 45%%, queue: %d packets}, af-udp: {rate: 50%%, ceil: 50%%, queue: %d packets}}}", packets, packets);
            double[] rates = site.together(AF_TCP, AF_UDP, 19e6, 2 * seconds);
            measured.add(threshold("stream", percent), rates[0] / MEGA);
            measured.add(threshold("datagrams", percent), rates[1] / MEGA);
        }
    }

    private void besideBest(AqmSite site, double seconds) {
        site.roundTrip(20);
        site.domain("{rate: 50mbit, classes: {be: {rate: 99%%, queue: 50ms}, lbe: {rate: 1%%, queue: 20ms}}}");
        double alone = site.best(-1, 2 * seconds);
        long lost = site.status("BE").dropped();
        double together = site.best(LBE, 2 * seconds);
        measured.add(beside("best effort, of alone", "%"), 100 * together / alone);
        measured.add(beside("best effort lost, packets", "count"), site.status("BE").dropped() - lost);
        measured.add(beside("LBE lost, packets", "count"), site.status("LBE").dropped());
    }

    /** With marks and without in turn: what differs is whether the ends ask for marks. */
    private void marks(AqmSite site, int round, boolean quick, double seconds) throws Exception {
        site.roundTrip(10);
        for (int denominator : some(DENOMINATORS, quick)) {
            site.domain("{rate: 20mbit, classes: {be: {queue: %d packets, red: {bands: [15-90%%], percent: %d}}}}", FULL_QUEUE, 100 / denominator);
            double[] completed = new double[2];
            for (boolean on : Measurements.turned(List.of(true, false), round)) {
                measured.doing("figure 20: 1/" + denominator + (on ? ", marks" : ", losses"));
                site.notifications(on);
                completed[on ? 1 : 0] = site.transactions(CLIENTS, PAGE, BESIDE, 2 * seconds);
                measured.add(transactions(on ? WITH : WITHOUT, denominator), completed[on ? 1 : 0]);
            }
            measured.add(gain(denominator), 100 * (completed[1] / completed[0] - 1));
        }
    }

    private void queues(AqmSite site, int round, double seconds) throws Exception {
        queueSeconds = seconds;
        site.roundTrip(20);
        site.domain("{rate: 50mbit, classes: {be: {queue: %d packets, red: {bands: [15-90%%], percent: 2}}}}", FULL_QUEUE);
        for (boolean on : Measurements.turned(List.of(true, false), round)) {
            String system = on ? WITH : WITHOUT;
            measured.doing("figure 21: " + system);
            site.notifications(on);
            AqmSite.Filled filled = site.streams(STREAMS, seconds);
            queues.putIfAbsent(system, filled.packets());
            measured.add(queue(system, "looks that found it nearly full", "%"), 100.0 * Arrays.stream(filled.packets()).filter(each -> each >= NEARLY_FULL).count() / filled.packets().length);
            measured.add(queue(system, "packets", "mean"), Arrays.stream(filled.packets()).average().orElseThrow());
            measured.add(queue(system, "payload", "Mbit/s"), filled.rate() / MEGA);
        }
    }

    @Override
    public List<Target> targets() {
        List<Target> all = new ArrayList<>();
        all.add(Target.atLeast("figure 2: a stream with a burst of 2.5 MB, of the policer's rate", part(policedStream(PAPER_STREAM_BURST), STREAM_CIR / MEGA), 0.9));
        all.add(Target.atMost("… with the least burst", part(policedStream(STREAM_BURSTS.get(0)), STREAM_CIR / MEGA), 0.5));
        all.add(Target.atLeast("figure 3: % of datagrams that arrive with a burst of 40 kB", samples().median(policedDatagrams(PAPER_DATAGRAM_BURST)), 99));
        all.add(Target.atLeast("figure 4: a stream with the whole queue, of the same with the least threshold", ratio(threshold("stream", 100), threshold("stream", 2)), 1.3));
        all.add(Target.atLeast("figure 4: datagrams with the least threshold, of those with the whole queue", ratio(threshold("datagrams", 2), threshold("datagrams", 100)), 0.95));
        all.add(Target.atLeast("figure 10: % of its rate that best effort keeps beside LBE", samples().median(beside("best effort, of alone", "%")), 95));
        all.add(Target.atLeast("figure 20: gain by marks at 1/10, %", samples().median(gain(10)), 0));
        all.add(Target.atMost("figure 21: looks that found the queue nearly full, with marks of without",
                ratio(queue(WITH, "looks that found it nearly full", "%"), queue(WITHOUT, "looks that found it nearly full", "%")), 0.75));
        return all;
    }

    private Double part(Key key, double of) {
        Double value = samples().median(key);
        return value == null ? null : value / of;
    }

    private Double ratio(Key key, Key of) {
        Double whole = samples().median(of);
        return whole == null ? null : part(key, whole);
    }

    @Override
    public void print(PrintWriter out) {
        super.print(out);
        out.println();
        out.println("The paper: figure 2, a stream needs a burst of 2.5 MB to reach a policer's 50 Mbit/s; figure 3, datagrams of 80 Mbit/s need 40 kB; figure 21, the queue is in its");
        out.println("uppermost range in about 3 intervals with marks and twice as many without. Its senders were at a gigabit behind switches of hardware; here all are on one machine,");
        out.printf(Locale.ROOT, "behind a router of user-mode Linux, and streams have %s. Figures 4, 10 and 20 have no numbers in its text.%n", AqmSite.CONTROL);
    }

    @Override
    public Map<String, Chart> charts() {
        Map<String, Chart> all = new LinkedHashMap<>();
        all.put("aqm-figure2", line("A stream behind a policer of 50 Mbit/s (figure 2)", "burst, octets", "Mbit/s of payload", Axes.LOGARITHMIC_X, STREAM_BURSTS, Map.of("stream", Aqm::policedStream)));
        all.put("aqm-figure3", line("Datagrams of 80 Mbit/s behind a policer of 80 (figure 3)", "burst, octets", "% that arrive", Axes.LOGARITHMIC_X, DATAGRAM_BURSTS,
                Map.of("datagrams", Aqm::policedDatagrams)));
        all.put("aqm-figure4", line("Tail-drop threshold (figure 4)", "% of a queue of 200 packets", "Mbit/s of payload", Axes.LINEAR, THRESHOLDS,
                Map.of("stream", x -> threshold("stream", x), "datagrams", x -> threshold("datagrams", x))));
        all.put("aqm-figure20", line("Transactions completed more with marks than with losses (figure 20)", "denominator of the probability of a mark", "%", Axes.LINEAR, DENOMINATORS,
                Map.of("gain", Aqm::gain)));
        Chart chart = new Chart("Queue of 64 streams (figure 21)", "seconds", "packets", Axes.LINEAR, List.of("The first round."));
        queues.forEach((system, packets) -> {
            Chart.Series line = chart.line(system.equals(WITH) ? "with marks (ECN)" : "with losses", system.equals(WITH) ? "#0b6e4f" : "#c8553d", false);
            for (int i = 0; i < packets.length; i++) {
                line.add(i * queueSeconds / packets.length, packets[i]);
            }
        });
        if (!queues.isEmpty()) {
            all.put("aqm-figure21", chart);
        }
        return all;
    }

    private Chart line(String title, String x, String y, Axes axes, List<Integer> points, Map<String, java.util.function.IntFunction<Key>> keys) {
        Chart chart = new Chart(title, x, y, axes, List.of("Medians."));
        keys.forEach((name, key) -> {
            Chart.Series line = chart.line(name, name.equals("datagrams") ? "#3d6fc8" : "#0b6e4f", false);
            for (int point : points) {
                Double median = samples().median(key.apply(point));
                if (median != null) {
                    line.add(point, median);
                }
            }
        });
        return chart;
    }
}
