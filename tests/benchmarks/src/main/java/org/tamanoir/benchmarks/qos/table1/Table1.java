package org.tamanoir.benchmarks.qos.table1;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.qos.QosPlan;
import org.tamanoir.benchmarks.qos.edge.EdgeLab;
import org.tamanoir.benchmarks.qos.table1.Table1Outcome.Cell;
import org.tamanoir.benchmarks.qos.table1.Table1Outcome.How;
import org.tamanoir.benchmarks.qos.table1.Table1Outcome.What;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.lab.FlowReceiver;
import org.tamanoir.lab.FlowReceiver.FlowReport;
import org.tamanoir.lab.Flows;

/**
 * Table 1 of the active grid paper (2003, section 4.1): best effort and EF on an empty and on a congested path, and beside them flows for which QoSinus
 * chooses ({@link ChosenFlows}).
 */
public final class Table1 {
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

    private Table1() {
    }

    /** As a {@link org.tamanoir.benchmarks.parts.Part}. */
    public static Outcome run(QosPlan plan, Consumer<String> progress) {
        Measurements measured = new Measurements(progress);
        long rate = Math.min(RATE, plan.rate());
        double seconds = plan.quick() ? QUICK_SECONDS : SECONDS;
        Table1Outcome outcome = new Table1Outcome(rate, plan.runs(), measured);
        measured.rounds(0, plan.runs(), run -> measured.attempt("table1, " + Measurements.name(run), () -> {
            try (EdgeLab lab = new EdgeLab(rate, PERIOD, PROBES)) {
                new ChosenFlows(lab, rate, seconds, measured, outcome).measure();
                plainFlows(lab, rate, seconds, measured);
            }
        }));
        return outcome;
    }

    /** The paper's own cells: ordinary flows in a class that their sender sets, through the routers and past the nodes, one after the other. */
    private static void plainFlows(EdgeLab lab, long rate, double seconds, Measurements measured) {
        measured.doing("best effort and EF, empty");
        plainFlows(lab, rate, seconds, false, measured);
        measured.doing("best effort and EF, congested");
        Flows.Flow flood = lab.flood(MARGIN + 6 * seconds);
        Pause.millis(FILLED);
        plainFlows(lab, rate, seconds, true, measured);
        flood.end();
    }

    private static void plainFlows(EdgeLab lab, long rate, double seconds, boolean congested, Measurements measured) {
        FlowReceiver receiver = lab.receiver();
        for (How how : List.of(How.BE, How.EF)) {
            int codePoint = how == How.EF ? EF : 0;
            measured.add(new Cell(What.RTT, how, congested).key(), Flows.trips(lab.testbed().sender(1), receiver, codePoint, TRIPS, INTERVAL).median());
            receiver.begin();
            Flows.stream(lab.testbed().sender(1), receiver, codePoint, CONTROL, WARM + seconds).sent();
            measured.add(new Cell(What.TCP, how, congested).key(), rate(receiver.report(), true, codePoint, seconds));
            receiver.begin();
            Flows.datagrams(lab.testbed().sender(1), receiver, codePoint, UDP_OCTETS, UDP_PART * rate, WARM + seconds).sent();
            measured.add(new Cell(What.UDP, how, congested).key(), rate(receiver.report(), false, codePoint, seconds));
        }
    }

    private static double rate(FlowReport report, boolean stream, int codePoint, double seconds) {
        return report.rate(stream, codePoint, WARM, WARM + seconds) / MEGA;
    }
}
