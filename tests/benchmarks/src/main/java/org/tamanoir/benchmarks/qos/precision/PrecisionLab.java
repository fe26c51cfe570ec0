package org.tamanoir.benchmarks.qos.precision;

import java.util.ArrayList;
import java.util.List;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.qos.Bottleneck;
import org.tamanoir.benchmarks.qos.precision.Couple.Measured;
import org.tamanoir.lab.FlowReceiver;
import org.tamanoir.lab.FlowReceiver.FlowReport;
import org.tamanoir.lab.Flows;
import org.tamanoir.lab.QosTestbed;

/** The network of the report: a host for each flow, two routers, one receiver. */
final class PrecisionLab implements AutoCloseable {
    /** Octets of a datagram: the report's, section 3.3. */
    static final int PAYLOAD = 1470;

    private static final int MOST_FLOWS = 3;
    private static final int BE = 0;
    /** CS1, as in the report; today's code point of LBE is 1. */
    private static final int LBE = 8;
    /** Seconds from the first packet until the queues are full and the shares hold. */
    private static final double WARM = 0.6;
    private static final double AFTER = 0.2;
    /** Milliseconds until the queues of a run before are empty. */
    private static final long DRAIN = 400;

    private final QosTestbed testbed = QosTestbed.open(MOST_FLOWS, 1);
    private final FlowReceiver receiver;
    private final long rate;
    private final double seconds;

    /** @param seconds that each run counts, in whole tenths */
    PrecisionLab(long rate, double seconds) {
        this.rate = rate;
        this.seconds = seconds;
        try {
            receiver = FlowReceiver.start(testbed.delivery(1).second());
        } catch (RuntimeException e) {
            testbed.close();
            throw e;
        }
    }

    /** Two classes with these shares; their queues hold two tenths of a second of the link, so that they do not run empty while a sender rests. */
    void share(Couple couple) {
        Bottleneck.apply(testbed, "{rate: %dbit, classes: {be: {rate: %d%%, queue: 200ms}, lbe: {rate: %d%%, queue: 200ms, code-points: [1, 8]}}}", rate,
                couple.be(), couple.lbe());
    }

    /** One queue for all. */
    void shareNothing() {
        Bottleneck.apply(testbed, "{rate: %dbit, classes: {be: {rate: 100%%, queue: 200ms, code-points: [0, 1, 8]}}}", rate);
    }

    /**
     * One run.
     *
     * @param be   flows of best effort
     * @param lbe  flows of less than best effort
     * @param load bits of payload a second of each flow
     */
    Measured run(int be, int lbe, double load) {
        Pause.millis(DRAIN);
        receiver.begin();
        List<Flows.Flow> flows = new ArrayList<>();
        for (int i = 0; i < be + lbe; i++) {
            flows.add(Flows.datagrams(testbed.sender(i + 1), receiver, i < be ? BE : LBE, PAYLOAD, load, WARM + seconds + AFTER));
        }
        List<Flows.Sent> sent = flows.stream().map(Flows.Flow::sent).toList();
        FlowReport report = receiver.report();
        return new Measured(sent.subList(0, be).stream().mapToDouble(Flows.Sent::rate).sum(),
                sent.subList(be, be + lbe).stream().mapToDouble(Flows.Sent::rate).sum(), report.rate(false, BE, WARM, WARM + seconds),
                report.rate(false, LBE, WARM, WARM + seconds), sent.stream().mapToLong(Flows.Sent::octets).sum() / PAYLOAD,
                sent.stream().mapToLong(Flows.Sent::leftOut).sum());
    }

    @Override
    public void close() {
        testbed.close();
    }
}
