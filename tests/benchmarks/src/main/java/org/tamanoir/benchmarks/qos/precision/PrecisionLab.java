package org.tamanoir.benchmarks.qos.precision;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.tamanoir.benchmarks.qos.Bottleneck;
import org.tamanoir.lab.FlowReceiver;
import org.tamanoir.lab.FlowReport;
import org.tamanoir.lab.Flows;
import org.tamanoir.lab.QosTestbed;

/** The network of the report: a host for each flow, two routers, one receiver. */
final class PrecisionLab implements AutoCloseable {
    /** Octets of a datagram: the report's, section 3.3. */
    static final int PAYLOAD = 1470;

    private static final int BE = 0;
    /** CS1, as in the report; today's code point of LBE is 1. */
    private static final int LBE = 8;
    /** Seconds from the first packet until the queues are full and the shares hold. */
    private static final double WARM = 0.6;
    private static final double AFTER = 0.2;
    /** Milliseconds until the queues of a run before are empty. */
    private static final long DRAIN = 400;
    private static final int ATTEMPTS = 4;

    private final QosTestbed testbed;
    private final Bottleneck bottleneck;
    private final FlowReceiver receiver;
    private final long rate;
    private final double seconds;
    private int disturbed;

    /** @param seconds that each run counts, in whole tenths */
    PrecisionLab(long rate, double seconds) {
        this.rate = rate;
        this.seconds = seconds;
        testbed = QosTestbed.open(Mix.TEST1.flows(), 1);
        try {
            bottleneck = Bottleneck.forward(testbed);
            receiver = FlowReceiver.start(testbed.delivery(1).second());
        } catch (RuntimeException e) {
            testbed.close();
            throw e;
        }
    }

    /** Two classes with these shares; their queues hold two tenths of a second of the link, so that they do not run empty while a sender rests. */
    void share(Couple couple) {
        bottleneck.apply(String.format(Locale.ROOT, "{rate: %dbit, classes: {be: {rate: %d%%, queue: 200ms}, lbe: {rate: %d%%, queue: 200ms, "
                + "code-points: [1, 8]}}}", rate, couple.be(), couple.lbe()));
    }

    /** One queue for all. */
    void shareNothing() {
        bottleneck.apply(String.format(Locale.ROOT, "{rate: %dbit, classes: {be: {rate: 100%%, queue: 200ms, code-points: [0, 1, 8]}}}", rate));
    }

    /** What the link carries of one class that congests it, in bits of payload a second. */
    double capacity() {
        return run(1, 0, 1.5 * rate).be();
    }

    /**
     * One run; of disturbed ones the next, so often as is sensible.
     *
     * @param load bits of payload a second of each flow
     */
    Measured run(Mix mix, double load) {
        Measured measured = run(mix.be, mix.lbe, load);
        for (int i = 1; i < ATTEMPTS && measured.isDisturbed(WARM + seconds + AFTER); i++) {
            disturbed++;
            measured = run(mix.be, mix.lbe, load);
        }
        return measured;
    }

    /** How many runs were thrown away. */
    int disturbed() {
        return disturbed;
    }

    private Measured run(int be, int lbe, double load) {
        rest();
        receiver.begin();
        List<Flows.Flow> flows = new ArrayList<>();
        for (int i = 0; i < be + lbe; i++) {
            flows.add(Flows.datagrams(testbed.sender(i + 1), receiver, i < be ? BE : LBE, PAYLOAD, load, WARM + seconds + AFTER));
        }
        List<Flows.Sent> sent = flows.stream().map(Flows.Flow::sent).toList();
        FlowReport report = receiver.report();
        return new Measured(sent.subList(0, be).stream().mapToDouble(Flows.Sent::rate).sum(),
                sent.subList(be, be + lbe).stream().mapToDouble(Flows.Sent::rate).sum(), report.rate(false, BE, WARM, WARM + seconds),
                report.rate(false, LBE, WARM, WARM + seconds), sent.stream().mapToLong(Flows.Sent::leftOut).sum());
    }

    private static void rest() {
        try {
            Thread.sleep(DRAIN);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        testbed.close();
    }
}
