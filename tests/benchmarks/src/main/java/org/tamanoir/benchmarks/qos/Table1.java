package org.tamanoir.benchmarks.qos;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.DoubleBinaryOperator;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.qos.edge.EdgeNetwork;
import org.tamanoir.benchmarks.qos.edge.OpenSession;
import org.tamanoir.benchmarks.qos.edge.SessionTrips;
import org.tamanoir.benchmarks.qos.edge.SessionTrips.Trip;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.lab.FlowReceiver;
import org.tamanoir.lab.FlowReceiver.FlowReport;
import org.tamanoir.lab.Flows;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;

/**
 * Table 1 of the active grid paper (2003, section 4.1): best effort and EF on an empty and on a congested path, and beside them flows for which QoSinus
 * chooses.
 */
public final class Table1 extends MeasuredOutcome {
    static final double MEGA = 1e6;
    /** A link of so much suffices to be congested, and leaves the machine the time to be exact. */
    private static final long RATE = 50_000_000;
    private static final Duration PERIOD = Duration.ofSeconds(1);
    /** Probes as large as the packets of flows: a queue that is limited in octets has room for small ones when it drops these. */
    private static final String PROBES = ", octets: 1400, probes: 10, budget: 2mbit";
    private static final double SECONDS = 5;
    private static final double QUICK_SECONDS = 2;

    private static final int EF = 46;
    private static final int TRIPS = 200;
    private static final double INTERVAL = 0.01;
    /** A stream finds its rate in so many seconds. */
    private static final double WARM = 1;
    /** Of the link: less than what EF is guaranteed. */
    private static final double UDP_PART = 0.25;
    private static final int UDP_OCTETS = 1400;
    /** How long all flows of one condition take at most, besides their own seconds. */
    private static final double MARGIN = 90;
    /** Milliseconds until the queues are as full as they get. */
    private static final long FILLED = 500;
    /** What Linux has done for twenty years: it halves its rate, or nearly, when something is lost. */
    private static final String CONTROL = "cubic";

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

        Cell congest() {
            return new Cell(what, how, true);
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
    private final Map<Cell, Set<String>> classes = new HashMap<>();

    Table1(long rate, int runs, Measurements measured) {
        super("table1", measured);
        this.rate = rate;
        this.runs = runs;
    }

    public static Outcome run(QosPlan plan, Consumer<String> progress) {
        Measurements measured = new Measurements(progress);
        Table1 table = new Table1(Math.min(RATE, plan.rate()), plan.runs(), measured);
        double seconds = plan.quick() ? QUICK_SECONDS : SECONDS;
        measured.rounds(0, plan.runs(), run -> measured.attempt("table1, " + Measurements.name(run), () -> {
            try (EdgeNetwork network = EdgeNetwork.withNodes(table.rate, PERIOD, PROBES)) {
                table.new ChosenFlows(network, seconds).measure();
                table.plainFlows(network, seconds);
            }
        }));
        return table;
    }

    /** The paper's own cells: ordinary flows in a class that their sender sets, through the routers and past the nodes, one after the other. */
    private void plainFlows(EdgeNetwork network, double seconds) {
        measured.doing("best effort and EF, empty");
        plainFlows(network, seconds, false);
        measured.doing("best effort and EF, congested");
        Flows.Flow flood = network.flood(EdgeNetwork.FLOOD, MARGIN + 6 * seconds);
        Pause.millis(FILLED);
        plainFlows(network, seconds, true);
        flood.end();
    }

    private void plainFlows(EdgeNetwork network, double seconds, boolean congested) {
        FlowReceiver receiver = network.receiver();
        Host sender = network.testbed().sender(1);
        for (How how : List.of(How.BE, How.EF)) {
            int codePoint = how == How.EF ? EF : 0;
            measured.add(new Cell(What.RTT, how, congested).key(), Flows.trips(sender, receiver, codePoint, TRIPS, INTERVAL).median());
            receiver.begin();
            Flows.stream(sender, receiver, codePoint, CONTROL, WARM + seconds).sent();
            measured.add(new Cell(What.TCP, how, congested).key(), rate(receiver.report(), true, codePoint, seconds));
            receiver.begin();
            Flows.datagrams(sender, receiver, codePoint, UDP_OCTETS, UDP_PART * rate, WARM + seconds).sent();
            measured.add(new Cell(What.UDP, how, congested).key(), rate(receiver.report(), false, codePoint, seconds));
        }
    }

    private static double rate(FlowReport report, boolean stream, int codePoint, double seconds) {
        return report.rate(stream, codePoint, WARM, WARM + seconds) / MEGA;
    }

    /**
     * Three flows that have said what they need, all at once, through both nodes: datagrams that the receiver sends back asked for little delay, a stream
     * for throughput, datagrams for few losses.
     */
    private final class ChosenFlows {
        private static final Duration INTERVAL = Duration.ofMillis(10);
        private static final Duration PATIENCE = Duration.ofSeconds(40);
        /** Of the link: what the stream and the datagrams send. */
        private static final double TCP_PART = 0.20;
        private static final double UDP_PART = 0.12;
        /** Until a change has gone through all queues, and a stream that was starved has waited for its last retransmission. */
        private static final long SETTLED_MILLIS = 8000;
        /** Headers of a packet are at most so much of it. */
        private static final double HEADERS = 1.15;
        /** How long the flows live at most. */
        private static final int LIFE_SECONDS = 240;
        private static final double FLOOD_SECONDS = 120;
        private static final String BEST_EFFORT = "BE";

        private final EdgeNetwork network;
        private final double seconds;
        private final Map<What, OpenSession> sessions = new EnumMap<>(What.class);
        private long begin;

        ChosenFlows(EdgeNetwork network, double seconds) {
            this.network = network;
            this.seconds = seconds;
        }

        void measure() {
            measured.doing("opening sessions");
            open(What.RTT, FlowReceiver.ECHO_PORT, "maxDelayMs=10,traffic=100000");
            open(What.TCP, FlowReceiver.PORT, String.format(Locale.ROOT, "minRateMbps=%.3f", TCP_PART * rate / MEGA));
            open(What.UDP, FlowReceiver.PORT, String.format(Locale.ROOT, "maxLossPct=1,traffic=%.0f", HEADERS * UDP_PART * rate / 8));
            network.receiver().begin();
            begin = System.nanoTime();
            try (SessionTrips trips = network.trips(sessions.get(What.RTT), INTERVAL); LabProcess tcp = send(What.TCP, TCP_PART * rate, 8000);
                    LabProcess udp = send(What.UDP, UDP_PART * rate, 1400)) {
                sessions.values().forEach(OpenSession::awaitMeasured);
                measure(trips, false);
                Flows.Flow flood = network.flood(EdgeNetwork.FLOOD, FLOOD_SECONDS);
                sessions.values().forEach(session -> session.awaitOtherThan(BEST_EFFORT, PATIENCE));
                measure(trips, true);
                flood.end();
                if (!tcp.isAlive() || !udp.isAlive()) {
                    throw new LabException("a sender has ended: " + tcp.errors() + udp.errors());
                }
            }
        }

        private void open(What what, int port, String level) {
            sessions.put(what, network.open(port, what != What.TCP, level));
        }

        private LabProcess send(What what, double bits, int octets) {
            // If a flow has less on the empty path than it is to send, the machine was too busy to send it.
            measured.add(new Cell(what, How.QOSINUS, false).key("offered", "Mbit/s"), bits / MEGA);
            return sessions.get(what).send(network.folder(), bits, LIFE_SECONDS, "--raw --packet-size " + octets);
        }

        private void measure(SessionTrips trips, boolean congested) {
            measured.doing("flows with a session, " + (congested ? "congested" : "empty"));
            Pause.millis(SETTLED_MILLIS);
            long sent = sent();
            long arrived = arrived();
            long from = System.nanoTime();
            Pause.millis((long) (1000 * seconds));
            long to = System.nanoTime();
            sent = sent() - sent;
            arrived = arrived() - arrived;
            // The answers to the last ones may still be on their way.
            Pause.millis(1000);
            List<Double> times = trips.between(from, to).stream().map(Trip::millis).toList();
            if (times.isEmpty() || sent == 0) {
                throw new LabException("the flows with a session have sent nothing");
            }
            Cell rtt = new Cell(What.RTT, How.QOSINUS, congested);
            measured.add(rtt.key(), Samples.median(times));
            measured.add(rtt.key("lost-" + rtt.condition(), "ratio"), times.stream().filter(time -> Double.isInfinite(time)).count() / (double) times.size());
            FlowReport report = network.receiver().report();
            measured.add(new Cell(What.TCP, How.QOSINUS, congested).key(), rate(report, true, from, to) / MEGA);
            measured.add(new Cell(What.UDP, How.QOSINUS, congested).key(), rate(report, false, from, to) / MEGA);
            measured.add(arrivedKey(congested), arrived / (double) sent);
            sessions.forEach((what, session) -> addClass(what, congested, session.shown().path("class").asText()));
        }

        /** Datagrams that the first node has passed on. */
        private long sent() {
            return sessions.get(What.UDP).shown().path("counted").path("packets").asLong();
        }

        /** Datagrams that the receiver has. */
        private long arrived() {
            return network.receiver().report().counts().stream().filter(count -> !count.stream()).mapToLong(FlowReport.Count::packets).sum();
        }

        /** Bits a second of what came in whatever class. */
        private double rate(FlowReport report, boolean stream, long from, long to) {
            return report.counts().stream().filter(count -> count.stream() == stream).mapToInt(FlowReport.Count::codePoint).distinct()
                    .mapToDouble(codePoint -> report.rate(stream, codePoint, (from - begin) / 1e9, (to - begin) / 1e9)).sum();
        }
    }

    /** In which class a flow of QoSinus was. */
    private void addClass(What what, boolean congested, String name) {
        classes.computeIfAbsent(new Cell(what, How.QOSINUS, congested), unused -> new TreeSet<>()).add(name);
    }

    /** Of the datagrams that the first node passed on, those that arrived: a sender that the machine is too busy for sends fewer. */
    static Key arrivedKey(boolean congested) {
        Cell cell = new Cell(What.UDP, How.QOSINUS, congested);
        return cell.key("arrived-" + cell.condition(), "ratio");
    }

    private Double value(Cell cell) {
        return samples().median(cell.key());
    }

    /** The congested path against the empty one. */
    private Double compare(What what, How how, DoubleBinaryOperator comparison) {
        Cell cell = new Cell(what, how, false);
        Double empty = value(cell);
        Double congested = value(cell.congest());
        return empty == null || congested == null ? null : comparison.applyAsDouble(congested, empty);
    }

    /** What is left of a rate, or what a round trip is multiplied by. */
    private Double ratio(What what, How how) {
        return compare(what, how, (congested, empty) -> congested / empty);
    }

    /** How much longer round trips are. */
    private Double more(How how) {
        return compare(What.RTT, how, (congested, empty) -> congested - empty);
    }

    @Override
    public List<Target> targets() {
        return List.of(
                Target.atMost("table1: a flow that asked for delay, ms that its round trip is longer when congested", more(How.QOSINUS), MORE_MILLIS),
                Target.atLeast("table1: best effort, times its round trip when congested", ratio(What.RTT, How.BE), TENFOLD),
                Target.atLeast("table1: a flow that asked for throughput, part that is left when congested", ratio(What.TCP, How.QOSINUS), KEPT),
                Target.atLeast("table1: datagrams that asked for at most 1 % of losses, part that arrives when congested",
                        samples().median(arrivedKey(true)), ARRIVED),
                Target.atMost("table1: TCP in best effort, part that is left when congested", ratio(What.TCP, How.BE), STARVED),
                Target.atMost("table1: EF, ms that its round trip is longer when congested", more(How.EF), MORE_MILLIS),
                Target.atLeast("table1: TCP in EF, part that is left when congested", ratio(What.TCP, How.EF), KEPT));
    }

    /** Without congestion. */
    private static List<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        for (What what : What.values()) {
            for (How how : How.values()) {
                cells.add(new Cell(what, how, false));
            }
        }
        return cells;
    }

    @Override
    public void print(PrintWriter out) {
        out.printf(Locale.ROOT, "Table 1 of the active grid paper, from ENS Lyon to CEA, and a link of %.0f Mbit/s: empty, and with 250 %% of best effort%n",
                rate / MEGA);
        new Table<Cell>("", cell -> cell.what.text + ", " + cell.what.unit + ", " + (cell.how == How.QOSINUS ? "chosen by QoSinus" : cell.how.name()))
                .number("empty", "%.3f", this::value).number("congested", "%.3f", cell -> value(cell.congest()))
                .number("2003: empty", "%.2f", Cell::paper).number("congested", "%.2f", cell -> cell.congest().paper())
                .text("class", cell -> cell.how == How.QOSINUS ? classes(cell) + "; " + classes(cell.congest()) : "").print(out, cells());
        out.printf("Medians of %d runs. The flows of QoSinus go through two nodes and run at once; they asked for 10 ms, 20 %% of the link, and at most "
                + "1 %% of losses for 12 %% of the link. The others go past the nodes, one by one; their datagrams offer 25 %% of the link, the paper's 100 Mb/s.%n%n",
                runs);
    }

    private String classes(Cell cell) {
        return String.join(", ", classes.getOrDefault(cell, Set.of("-")));
    }

    @Override
    public Map<String, String> csv() {
        StringBuilder csv = new StringBuilder("row,class,condition,run,value,paper\r\n");
        for (Cell empty : cells()) {
            for (Cell cell : List.of(empty, empty.congest())) {
                List<Double> values = samples().of(cell.key());
                for (int i = 0; i < values.size(); i++) {
                    csv.append(String.format(Locale.ROOT, "%s,%s,%s,%d,%.5f,%s\r\n", cell.what, cell.how, cell.condition(), i + 1, values.get(i),
                            cell.paper() == null ? "" : cell.paper()));
                }
            }
        }
        return Map.of("table1", csv.toString());
    }
}
