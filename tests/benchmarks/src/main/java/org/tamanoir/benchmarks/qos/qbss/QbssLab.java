package org.tamanoir.benchmarks.qos.qbss;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.tamanoir.benchmarks.qos.Bottleneck;
import org.tamanoir.lab.FlowReceiver;
import org.tamanoir.lab.Flows;
import org.tamanoir.lab.QosTestbed;

/** The network: a host for each flow at either side. The first pair has the stream of LBE. */
final class QbssLab implements AutoCloseable {
    static final int BE = 0;
    /** CS1, as in the paper; today's code point of LBE is 1. */
    static final int LBE = 8;

    private static final int MOST_FLOWS = 3;
    private static final int PAYLOAD = 1470;
    /** What Linux had in 2002 and has: both halve, or nearly, when something is lost. */
    private static final String CONTROL = "cubic";

    private final QosTestbed testbed;
    private final List<FlowReceiver> receivers = new ArrayList<>();
    private final long rate;

    /** 99 % and 1 % of the link, and what one class leaves is the other's. */
    QbssLab(long rate) {
        this.rate = rate;
        testbed = QosTestbed.open(1 + MOST_FLOWS, 1 + MOST_FLOWS);
        try {
            Bottleneck.forward(testbed).apply(String.format(Locale.ROOT, "{rate: %dbit, classes: {be: {rate: 99%%, queue: 100ms}, "
                    + "lbe: {rate: 1%%, queue: 20ms, code-points: [1, 8]}}}", rate));
            for (int i = 1; i <= 1 + MOST_FLOWS; i++) {
                receivers.add(FlowReceiver.start(testbed.delivery(i).second()));
            }
        } catch (RuntimeException e) {
            testbed.close();
            throw e;
        }
    }

    /** What the link carries of full segments, in bits of payload a second. */
    double capacity() {
        return rate * Bottleneck.TCP_PART;
    }

    /** Half of the link in payload. */
    double datagrams() {
        return rate / 2.0 * PAYLOAD / (PAYLOAD + Bottleneck.UDP_HEADERS);
    }

    Series run(Experiment experiment, Times times) {
        receivers.forEach(FlowReceiver::begin);
        long begin = System.nanoTime();
        Flows.Flow background = Flows.stream(testbed.sender(1), receivers.get(0), LBE, CONTROL, times.end(experiment));
        List<Flows.Flow> flows = new ArrayList<>();
        for (int i = 0; i < experiment.flows(); i++) {
            sleep(begin, times.begin(i));
            FlowReceiver to = receivers.get(i + 1);
            flows.add(experiment.isDatagrams() ? Flows.datagrams(testbed.sender(i + 2), to, BE, PAYLOAD, datagrams(), times.length())
                    : Flows.stream(testbed.sender(i + 2), to, BE, CONTROL, times.length()));
        }
        List<Flows.Sent> sent = flows.stream().map(Flows.Flow::sent).toList();
        background.sent();
        return new Series(experiment, times, receivers.get(0).report(), receivers.subList(1, 1 + experiment.flows()).stream()
                .map(FlowReceiver::report).toList(), sent);
    }

    private static void sleep(long begin, double seconds) {
        try {
            TimeUnit.NANOSECONDS.sleep(begin + (long) (1e9 * seconds) - System.nanoTime());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        testbed.close();
    }
}
