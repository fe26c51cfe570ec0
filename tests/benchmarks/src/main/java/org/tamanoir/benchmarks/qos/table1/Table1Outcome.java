package org.tamanoir.benchmarks.qos.table1;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.qos.table1.Cell.How;
import org.tamanoir.benchmarks.qos.table1.Cell.What;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Target;

/** The cells, and what follows from them. */
final class Table1Outcome implements Outcome {
    private static final double MORE_MILLIS = 1;
    private static final double TENFOLD = 10;
    private static final double KEPT = 0.95;
    private static final double ARRIVED = 0.99;
    private static final double STARVED = 0.05;

    private final long rate;
    private final int runs;
    private final Samples samples;
    private final Map<String, String> classes;
    private final List<String> failures;

    Table1Outcome(long rate, int runs, Samples samples, Map<String, String> classes, List<String> failures) {
        this.rate = rate;
        this.runs = runs;
        this.samples = samples;
        this.classes = classes;
        this.failures = failures;
    }

    @Override
    public List<Row> rows() {
        return samples.rows();
    }

    private Double value(What what, How how, boolean congested) {
        return samples.median(new Cell(what, how, congested).key());
    }

    /** What is left of a rate, or what a round trip is multiplied by. */
    private Double ratio(What what, How how) {
        Double empty = value(what, how, false);
        Double congested = value(what, how, true);
        return empty == null || congested == null ? null : congested / empty;
    }

    /** How much longer round trips are. */
    private Double more(How how) {
        Double empty = value(What.RTT, how, false);
        Double congested = value(What.RTT, how, true);
        return empty == null || congested == null ? null : congested - empty;
    }

    @Override
    public List<Target> targets() {
        return List.of(
                Target.atMost("table1: a flow that asked for delay, ms that its round trip is longer when congested", more(How.QOSINUS), MORE_MILLIS),
                Target.atLeast("table1: best effort, times its round trip when congested", ratio(What.RTT, How.BE), TENFOLD),
                Target.atLeast("table1: a flow that asked for throughput, part that is left when congested", ratio(What.TCP, How.QOSINUS), KEPT),
                Target.atLeast("table1: datagrams that asked for at most 1 % of losses, part that arrives when congested",
                        samples.median(ChosenFlows.arrived(true)), ARRIVED),
                Target.atMost("table1: TCP in best effort, part that is left when congested", ratio(What.TCP, How.BE), STARVED),
                Target.atMost("table1: EF, ms that its round trip is longer when congested", more(How.EF), MORE_MILLIS),
                Target.atLeast("table1: TCP in EF, part that is left when congested", ratio(What.TCP, How.EF), KEPT));
    }

    @Override
    public List<String> failures() {
        return failures;
    }

    @Override
    public void print(PrintWriter out) {
        out.printf(Locale.ROOT, "Table 1 of the active grid paper, from ENS Lyon to CEA, and a link of %.0f Mbit/s: empty, and with 250 %% of best effort%n",
                rate / 1e6);
        out.printf("%-28s %-18s %10s %10s   %10s %10s   %s%n", "", "", "empty", "congested", "2003: empty", "congested", "class");
        for (What what : What.values()) {
            for (How how : How.values()) {
                out.printf(Locale.ROOT, "%-28s %-18s %10s %10s   %10s %10s   %s%n", what.text(), how == How.QOSINUS ? "chosen by QoSinus" : how.name(),
                        text(value(what, how, false)), text(value(what, how, true)), text(new Cell(what, how, false).paper()),
                        text(new Cell(what, how, true).paper()),
                        how == How.QOSINUS ? classes.get(what + " empty") + "; " + classes.get(what + " congested") : "");
            }
        }
        out.printf("Medians of %d runs. The flows of QoSinus go through two nodes and run at once; they asked for 10 ms, 20 %% of the link, and at most "
                + "1 %% of losses for 12 %% of the link. The others go past the nodes, one by one; their datagrams offer 25 %% of the link, the paper's 100 Mb/s.%n%n",
                runs);
    }

    private static String text(Double value) {
        return value == null || value.isNaN() ? "-" : String.format(Locale.ROOT, value < 1 ? "%.3f" : "%.2f", value);
    }

    @Override
    public Map<String, String> csv() {
        StringBuilder csv = new StringBuilder("row,class,condition,run,value,paper\r\n");
        for (What what : What.values()) {
            for (How how : How.values()) {
                for (boolean congested : new boolean[] {false, true}) {
                    Cell cell = new Cell(what, how, congested);
                    List<Double> values = samples.of(cell.key());
                    for (int i = 0; i < values.size(); i++) {
                        csv.append(String.format(Locale.ROOT, "%s,%s,%s,%d,%.5f,%s\r\n", what, how, congested ? "congested" : "empty", i + 1, values.get(i),
                                Double.isNaN(cell.paper()) ? "" : cell.paper()));
                    }
                }
            }
        }
        return Map.of("table1", csv.toString());
    }
}
