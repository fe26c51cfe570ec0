package org.tamanoir.benchmarks.paper;

import static org.tamanoir.benchmarks.paper.PaperFigure.text;
import static org.tamanoir.benchmarks.paper.PaperFigure.value;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.tamanoir.benchmarks.dyram.figures.Figures;
import org.tamanoir.benchmarks.paper.PaperFigure.Beside;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.parts.Rounds;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.qos.QosPlan;
import org.tamanoir.benchmarks.qos.Table1;
import org.tamanoir.benchmarks.report.Row;

/** Section 4: quality of service, and reliable multicast. */
final class ServiceFigures {
    static final String RECOVERY = "local recovery of DyRAM, simulated";
    static final String DELAY = "recovery delay of DyRAM, simulated";
    static final String QUALITY = "flows on an empty and on a congested path";

    private static final int SEED = 1;
    private static final int RECEIVERS = 48;
    private static final int GROUP = 6;
    private static final int MOST_RECEIVERS = 96;
    private static final List<String> SPLITS = List.of(".02/.46/.02", ".1/.3/.1", "thirds");

    private ServiceFigures() {
    }

    static PaperFigure recovery(Rounds plan, Consumer<String> progress) {
        Figures found = Figures.run("figure-12", SEED, plan.count(), progress);
        List<Row> rows = found.rows();
        return PaperFigure.of("fig12", RECOVERY, found, named(found.charts()), List.of(
                new Beside("12a, completion time at 48 receivers, without local recovery / with it", "a curve without numbers", text("%.2f", value(rows, "figure-12a", "without / with", 0, RECEIVERS, "completion-time"))),
                new Beside("12b, bandwidth without / with, groups of 6", "1.8", text("%.2f (p = 0.25)", value(rows, "figure-12b", "local recovery, p = 0.25", 0, GROUP, "packets, source's link and links to sites")))),
                "the protocol's own cores in a simulator, links of one delay; in 2003 a simulator in PARSEC with link speeds and delays that the paper does not give.");
    }

    static PaperFigure delay(Rounds plan, Consumer<String> progress) {
        Figures found = Figures.run("figure-13", SEED, plan.count(), progress);
        return PaperFigure.of("fig13", DELAY, found, named(found.charts()), List.of(
                new Beside("13a, recovery delay at 96 receivers and p = 0.25, DyRAM- / DyRAM+", "up to 4", gain(found.rows(), "figure-13a")),
                new Beside("13b, the same at p = 0.5", "not given", gain(found.rows(), "figure-13b"))),
                "three splits of the delay over source's link, backbone and tail, given in their order (.02/.46/.02, .1/.3/.1, thirds), since the paper says none and everything depends on it.");
    }

    private static String gain(List<Row> rows, String figure) {
        return SPLITS.stream().map(split -> text("%.1f", value(rows, figure, "DyRAM- / DyRAM+, " + split + ", timers in nodes too, data lost", 0, MOST_RECEIVERS,
                "recovery delay, mean"))).collect(Collectors.joining(", "));
    }

    /** {@code figure-12a} as {@code fig12a}. */
    private static Map<String, Chart> named(Map<String, Chart> charts) {
        Map<String, Chart> named = new LinkedHashMap<>();
        charts.forEach((name, chart) -> named.put(name.replace("figure-", "fig"), chart));
        return named;
    }

    static PaperFigure quality(Rounds plan, Consumer<String> progress) {
        Outcome found = Table1.run(new QosPlan(QosPlan.RATE, 1, plan.seconds() < Rounds.SECONDS, List.of()), progress);
        List<Row> rows = found.rows();
        List<Beside> besides = new ArrayList<>();
        besides.add(new Beside("Round trip, best effort, empty; congested", "5.8 ms; 32 ms", both("%.2f", "%.1f ms", rows, "rtt", "be")));
        besides.add(new Beside("… EF", "5.8 ms; 6.8 ms", both("%.2f", "%.2f ms", rows, "rtt", "ef")));
        besides.add(new Beside("… chosen by QoSinus, through two nodes", "", both("%.2f", "%.2f ms", rows, "rtt", "tamanoir-qosinus")));
        besides.add(new Beside("TCP, best effort", "86 Mb/s; 0.1 to 0.2 Mb/s", both("%.1f", "%.2f Mbit/s", rows, "tcp", "be")));
        besides.add(new Beside("… EF", "86 Mb/s; 44 Mb/s", both("%.1f", "%.1f Mbit/s", rows, "tcp", "ef")));
        besides.add(new Beside("… chosen by QoSinus, sends 10 Mbit/s", "", both("%.1f", "%.1f Mbit/s", rows, "tcp", "tamanoir-qosinus")));
        besides.add(new Beside("UDP, best effort", "100 Mb/s; 73 Mb/s", both("%.1f", "%.1f Mbit/s", rows, "udp", "be")));
        besides.add(new Beside("… EF", "100 Mb/s; 100 Mb/s", both("%.1f", "%.1f Mbit/s", rows, "udp", "ef")));
        besides.add(new Beside("… chosen by QoSinus, sends 6 Mbit/s", "", both("%.1f", "%.1f Mbit/s", rows, "udp", "tamanoir-qosinus")));
        return PaperFigure.of("table1", QUALITY, found, Map.of(), besides,
                "a link of 50 Mbit/s with the classes of `qos domain`, flooded with 250 % of best effort, no distance; EF has 30 % of it, datagrams offer a quarter (2003: 100 Mb/s). In 2003 the path from "
                        + "ENS Lyon to CEA over VTHD.");
    }

    private static String both(String empty, String congested, List<Row> rows, String what, String how) {
        return text(empty, value(rows, "table1-" + what, how, 0, 1, "empty")) + "; " + text(congested, value(rows, "table1-" + what, how, 0, 1, "congested"));
    }
}
