package org.tamanoir.benchmarks.qos.table1;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;

/** The cells, and what follows from them. */
final class Table1Outcome extends MeasuredOutcome {
    private static final double MORE_MILLIS = 1;
    private static final double TENFOLD = 10;
    private static final double KEPT = 0.95;
    private static final double ARRIVED = 0.99;
    private static final double STARVED = 0.05;

    /** A line of the paper. */
    enum What {
        RTT("ms", "round trip, median"), TCP("Mbit/s", "rate of a stream"), UDP("Mbit/s", "rate of datagrams");

        private final String unit;
        private final String text;

        What(String unit, String text) {
            this.unit = unit;
            this.text = text;
        }
    }

    /** Who gives the flow its class. */
    enum How {
        BE("be"), EF("ef"), QOSINUS("tamanoir-qosinus");

        private final String system;

        How(String system) {
            this.system = system;
        }
    }

    /**
     * A cell of the table.
     *
     * @param congested whether best effort is flooded meanwhile
     */
    record Cell(What what, How how, boolean congested) {
        Key key() {
            return key(condition(), what.unit);
        }

        /** Something else of the same flow. */
        Key key(String metric, String unit) {
            return new Key("table1-" + what.name().toLowerCase(Locale.ROOT), how.system, 0, 1, metric, unit);
        }

        String condition() {
            return congested ? "congested" : "empty";
        }

        /** What the paper has for the way from ENS Lyon to CEA; a rate of "100 to 200 Kb/s" is 0.15 Mb/s. Null where it has nothing. */
        Double paper() {
            if (how == How.QOSINUS) {
                return null;
            }
            boolean suffers = congested && how == How.BE;
            return switch (what) {
                case RTT -> !congested ? 5.8 : suffers ? 32.0 : 6.8;
                case TCP -> !congested ? 86.0 : suffers ? 0.15 : 44.0;
                case UDP -> suffers ? 73.0 : 100.0;
            };
        }
    }

    private final long rate;
    private final int runs;
    private final Map<String, Set<String>> classes = new TreeMap<>();

    Table1Outcome(long rate, int runs, Measurements measured) {
        super("table1", measured);
        this.rate = rate;
        this.runs = runs;
    }

    /** In which class a flow of QoSinus was. */
    void addClass(What what, boolean congested, String name) {
        classes.computeIfAbsent(what + new Cell(what, How.QOSINUS, congested).condition(), unused -> new TreeSet<>()).add(name);
    }

    /** Of the datagrams that the first node passed on, those that arrived: a sender that the machine is too busy for sends fewer. */
    static Key arrived(boolean congested) {
        Cell cell = new Cell(What.UDP, How.QOSINUS, congested);
        return cell.key("arrived-" + cell.condition(), "ratio");
    }

    private Double value(What what, How how, boolean congested) {
        return samples().median(new Cell(what, how, congested).key());
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
                        samples().median(arrived(true)), ARRIVED),
                Target.atMost("table1: TCP in best effort, part that is left when congested", ratio(What.TCP, How.BE), STARVED),
                Target.atMost("table1: EF, ms that its round trip is longer when congested", more(How.EF), MORE_MILLIS),
                Target.atLeast("table1: TCP in EF, part that is left when congested", ratio(What.TCP, How.EF), KEPT));
    }

    @Override
    public void print(PrintWriter out) {
        out.printf(Locale.ROOT, "Table 1 of the active grid paper, from ENS Lyon to CEA, and a link of %.0f Mbit/s: empty, and with 250 %% of best effort%n",
                rate / Table1.MEGA);
        List<Cell> lines = new ArrayList<>();
        for (What what : What.values()) {
            for (How how : How.values()) {
                lines.add(new Cell(what, how, false));
            }
        }
        new Table<Cell>("", cell -> cell.what.text + ", " + cell.what.unit + ", " + (cell.how == How.QOSINUS ? "chosen by QoSinus" : cell.how.name()))
                .number("empty", "%.3f", cell -> value(cell.what, cell.how, false))
                .number("congested", "%.3f", cell -> value(cell.what, cell.how, true))
                .number("2003: empty", "%.2f", Cell::paper)
                .number("congested", "%.2f", cell -> new Cell(cell.what, cell.how, true).paper())
                .text("class", cell -> cell.how == How.QOSINUS ? classes(cell.what, "empty") + "; " + classes(cell.what, "congested") : "")
                .print(out, lines);
        out.printf("Medians of %d runs. The flows of QoSinus go through two nodes and run at once; they asked for 10 ms, 20 %% of the link, and at most "
                + "1 %% of losses for 12 %% of the link. The others go past the nodes, one by one; their datagrams offer 25 %% of the link, the paper's 100 Mb/s.%n%n",
                runs);
    }

    private String classes(What what, String condition) {
        return String.join(", ", classes.getOrDefault(what + condition, Set.of("-")));
    }

    @Override
    public Map<String, String> csv() {
        StringBuilder csv = new StringBuilder("row,class,condition,run,value,paper\r\n");
        for (What what : What.values()) {
            for (How how : How.values()) {
                for (boolean congested : new boolean[] {false, true}) {
                    Cell cell = new Cell(what, how, congested);
                    List<Double> values = samples().of(cell.key());
                    for (int i = 0; i < values.size(); i++) {
                        csv.append(String.format(Locale.ROOT, "%s,%s,%s,%d,%.5f,%s\r\n", what, how, cell.condition(), i + 1, values.get(i),
                                cell.paper() == null ? "" : cell.paper()));
                    }
                }
            }
        }
        return Map.of("table1", csv.toString());
    }
}
