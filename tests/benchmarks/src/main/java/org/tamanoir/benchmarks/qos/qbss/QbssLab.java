package org.tamanoir.benchmarks.qos.qbss;

import java.util.ArrayList;
import java.util.List;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.qos.Bottleneck;
import org.tamanoir.benchmarks.qos.qbss.Qbss.Experiment;
import org.tamanoir.benchmarks.qos.qbss.Qbss.Times;
import org.tamanoir.lab.FlowReceiver;
import org.tamanoir.lab.Flows;
import org.tamanoir.lab.QosTestbed;

/** The network: a host for each flow at either side. The first pair has the stream of LBE. */
final class QbssLab implements AutoCloseable {
    static final int BE = 0;
    /** CS1, as in the paper; today's code point of LBE is 1. */
    static final int LBE = 8;

    private static final int HOSTS = 1 + 3;
    private static final int PAYLOAD = 1470;
    /** What Linux had in 2002 and has: both halve, or nearly, when something is lost. */
    private static final String CONTROL = "cubic";

    private final QosTestbed testbed = QosTestbed.open(HOSTS, HOSTS);
    private final List<FlowReceiver> receivers = new ArrayList<>();
    private final long rate;

    /** 99 % and 1 % of the link, and what one class leaves is the other's. */
    QbssLab(long rate) {
        this.rate = rate;
        try {
            Bottleneck.apply(testbed, "{rate: %dbit, classes: {be: {rate: 99%%, queue: 100ms}, lbe: {rate: 1%%, queue: 20ms, code-points: [1, 8]}}}", rate);
            for (int i = 1; i <= HOSTS; i++) {
                receivers.add(FlowReceiver.start(testbed.delivery(i).second()));
            }
        } catch (RuntimeException e) {
            testbed.close();
            throw e;
        }
    }

    /** Half of a link in payload of datagrams. */
    static double datagrams(long rate) {
        return rate / 2.0 * PAYLOAD / (PAYLOAD + Bottleneck.UDP_HEADERS);
    }

    Series run(Experiment experiment, Times times) {
        receivers.forEach(FlowReceiver::begin);
        long begin = System.nanoTime();
        Flows.Flow background = Flows.stream(testbed.sender(1), receivers.get(0), LBE, CONTROL, times.end(experiment));
        List<Flows.Flow> flows = new ArrayList<>();
        for (int i = 0; i < experiment.flows(); i++) {
            Pause.millis(Math.max(0, Math.round(1e3 * times.begin(i) - (System.nanoTime() - begin) / 1e6)));
            FlowReceiver to = receivers.get(i + 1);
            flows.add(experiment.isDatagrams() ? Flows.datagrams(testbed.sender(i + 2), to, BE, PAYLOAD, datagrams(rate), times.length())
                    : Flows.stream(testbed.sender(i + 2), to, BE, CONTROL, times.length()));
        }
        long sent = flows.stream().map(Flows.Flow::sent).mapToLong(Flows.Sent::octets).sum();
        background.sent();
        return new Series(experiment, times, receivers.subList(0, 1 + experiment.flows()).stream().map(FlowReceiver::report).toList(), sent);
    }

    @Override
    public void close() {
        testbed.close();
    }
}
