package org.tamanoir.benchmarks.qos.table1;

import java.util.function.Consumer;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.qos.edge.EdgeLab;
import org.tamanoir.benchmarks.qos.table1.Cell.How;
import org.tamanoir.benchmarks.qos.table1.Cell.What;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.lab.FlowReceiver;
import org.tamanoir.lab.Flows;

/** The paper's own cells: ordinary flows in a class that their sender sets, through the routers and past the nodes, one after the other. */
final class PlainFlows {
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
    private static final double MEGA = 1e6;
    /** What Linux has done for twenty years: it halves its rate, or nearly, when something is lost. */
    private static final String CONTROL = "cubic";

    private final EdgeLab lab;
    private final long rate;
    private final double seconds;
    private final Samples samples;

    PlainFlows(EdgeLab lab, long rate, double seconds, Samples samples) {
        this.lab = lab;
        this.rate = rate;
        this.seconds = seconds;
        this.samples = samples;
    }

    void measure(Consumer<String> progress) {
        progress.accept("best effort and EF, empty");
        all(false);
        progress.accept("best effort and EF, congested");
        Flows.Flow flood = lab.flood(MARGIN + 6 * seconds);
        Pause.millis(FILLED);
        all(true);
        flood.end();
        Pause.millis(FILLED);
    }

    private void all(boolean congested) {
        for (How how : new How[] {How.BE, How.EF}) {
            int codePoint = how == How.EF ? EF : 0;
            samples.add(new Cell(What.RTT, how, congested).key(), Flows.trips(lab.testbed().sender(1), lab.receiver(), codePoint, TRIPS, INTERVAL).median());
            samples.add(new Cell(What.TCP, how, congested).key(), stream(codePoint) / MEGA);
            samples.add(new Cell(What.UDP, how, congested).key(), datagrams(codePoint) / MEGA);
        }
    }

    private double stream(int codePoint) {
        FlowReceiver receiver = lab.receiver();
        receiver.begin();
        Flows.stream(lab.testbed().sender(1), receiver, codePoint, CONTROL, WARM + seconds).sent();
        return receiver.report().rate(true, codePoint, WARM, WARM + seconds);
    }

    private double datagrams(int codePoint) {
        FlowReceiver receiver = lab.receiver();
        receiver.begin();
        Flows.datagrams(lab.testbed().sender(1), receiver, codePoint, UDP_OCTETS, UDP_PART * rate, WARM + seconds).sent();
        return receiver.report().rate(false, codePoint, WARM, seconds);
    }
}
