package org.tamanoir.services.qosmonitoring;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.ClassSample;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.QosMonitoring.HeldBack;

/**
 * What is known of one class on one segment. Delays are those of the newest period, so that a change shows at once; loss and throughput
 * look further back, until the newest period contradicts them.
 */
final class MeasuredClass {
    /** A mean round trip has changed if it differs by half of the larger one, and by this at least; milliseconds. */
    private static final double LEAST_CHANGE_MS = 1;
    private static final double CHANGE = 0.5;
    /** There is a queue if the mean round trip is over so many of the smallest one, and this; milliseconds. */
    private static final double QUEUE_RTTS = 1.5;
    private static final double QUEUE_MS = 0.5;
    /** The smallest round trip that is remembered grows by this with each train, so that a route that has become longer is learnt. */
    private static final double FLOOR_GROWTH = 1.0002;
    /** Fewer lost probes in the window say nothing of a TCP flow. */
    private static final int MEANT_LOSSES = 2;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final int PERCENT = 100;

    final QosClass qosClass;
    final LossWindow loss = new LossWindow();
    final ThroughputWindow throughput = new ThroughputWindow();
    final RateVariation variation = new RateVariation();
    /** Light trains that have been sent, oldest first. */
    private final Deque<ProbeOrder> underWay = new ArrayDeque<>();
    private final List<ReceivedTrain> newest = new ArrayList<>(LossWindow.NEWEST + 1);
    private Delays delays = Delays.UNKNOWN;
    private double floorMs = Double.NaN;
    private boolean answered;
    private boolean known;
    private long measuredNanos;
    /** When the next throughput train is due. */
    long throughputDue;
    /** When a change brought one forward last. */
    long broughtForward;

    MeasuredClass(QosClass qosClass, long nowNanos) {
        this.qosClass = qosClass;
        this.throughputDue = nowNanos;
        this.broughtForward = Long.MIN_VALUE / 2;
    }

    /** A light train is under way. */
    void ordered(ProbeOrder order) {
        underWay.add(order);
    }

    /**
     * A light train is over, with answers or without; trains count in the order in which they were sent, for one of which something is
     * missing is told later.
     *
     * @return whether the class does not do as before
     */
    boolean ended(ProbeOrder order, long nowNanos) {
        if (order.received == null) {
            underWay.remove(order);
        }
        boolean changed = false;
        while (!underWay.isEmpty() && underWay.peek().received != null) {
            ProbeOrder oldest = underWay.poll();
            changed |= oldest.received.sent() > 0 && light(oldest, nowNanos);
        }
        return changed;
    }

    private boolean light(ProbeOrder order, long nowNanos) {
        heard(order, nowNanos);
        boolean changed = loss.add(order.received.sent(), order.received.lost());
        double before = delays.rttMs();
        Delays now = Delays.of(order.train, List.of(order.received));
        if (!Double.isNaN(now.rttMs())) {
            floorMs = Double.isNaN(floorMs) ? now.rttMinMs() : Math.min(now.rttMinMs(), floorMs * FLOOR_GROWTH);
            changed |= Math.abs(now.rttMs() - before) > Math.max(LEAST_CHANGE_MS, CHANGE * Math.max(before, now.rttMs()));
        }
        if (changed) {
            newest.clear();
            throughput.changed();
        }
        newest.add(order.received);
        if (newest.size() > LossWindow.NEWEST) {
            newest.remove(0);
        }
        delays = Delays.of(order.train, newest);
        if (newest.size() == LossWindow.NEWEST && loss.lost() > 0 && loss.newestLost() == 0 && !hasQueue()) {
            // Queue and loss come and go together: old losses are those of a queue that is not there any more.
            loss.keepNewest(LossWindow.NEWEST);
        }
        return changed;
    }

    /** Adds a throughput train. */
    void throughput(ProbeOrder order, long nowNanos) {
        heard(order, nowNanos);
        throughput.train(Dispersion.mbps(order.received, order.train.octets()), nowNanos);
    }

    /**
     * Adds what a flow carried. One that was held back while probes find neither loss nor a queue was held back by its receiver: it shows how
     * much there is at least.
     *
     * @param period number of the period
     */
    void carried(double mbps, boolean limited, long period, long nowNanos) {
        throughput.carried(period, mbps, limited && isCongested());
        known = true;
        measuredNanos = Math.max(measuredNanos, nowNanos);
    }

    /** How much a flow carried in a time. What its receiver does not take says as little of the class as what its source does not send. */
    void carried(long flow, long octets, long nanos, HeldBack by, long nowNanos) {
        variation.carried(flow, octets, nanos, by == HeldBack.PROFILE || by == HeldBack.NETWORK && isCongested(), nowNanos);
    }

    /** What flows have shown, or trains where none has. */
    private double variation(long nowNanos, long mostAgeNanos) {
        double flows = variation.percent(nowNanos);
        return Double.isNaN(flows) ? throughput.variation(nowNanos, 2 * mostAgeNanos) : flows;
    }

    private void heard(ProbeOrder order, long nowNanos) {
        if (order.received.answered() > 0) {
            long newestAnswer = Math.min(nowNanos, order.sentNanos + order.received.spanNanos());
            measuredNanos = known ? Math.max(measuredNanos, newestAnswer) : newestAnswer;
            if (!answered) {
                // Nothing was known: probes that were lost before say nothing of the class.
                loss.keepNewest(0);
            }
            answered = true;
            known = true;
        }
    }

    /** Whether probes wait on their way. */
    boolean hasQueue() {
        return delays.rttMs() > QUEUE_RTTS * floorMs + QUEUE_MS;
    }

    private boolean isCongested() {
        return loss.lost() >= MEANT_LOSSES || hasQueue();
    }

    /** Whether the newest probes were answered. */
    boolean isAnswering() {
        return !Double.isNaN(delays.rttMs());
    }

    /** Whether a probe was ever answered. */
    boolean hasAnswered() {
        return answered;
    }

    /** Whether anything is known of it. */
    boolean isKnown() {
        return known;
    }

    /**
     * What is known.
     *
     * @param period       number of this period
     * @param mostAgeNanos trains that are older do not count
     */
    ClassSample sample(long period, long nowNanos, long mostAgeNanos) {
        double lossPct = answered ? loss.percent() : Double.NaN;
        double limited = throughput.limited(period);
        double least = loss.lost() < MEANT_LOSSES ? throughput.least(period) : Double.NaN;
        double udp = throughput.trains(nowNanos, mostAgeNanos);
        double tcp = udp;
        if (answered && loss.lost() >= MEANT_LOSSES) {
            // A train keeps others out of a full queue for a moment; a flow that goes on loses as much as everybody.
            double rate = (double) loss.lost() / loss.sent();
            tcp = Double.isNaN(delays.rttMs()) ? udp : smaller(udp, TcpModel.mbps(Math.max(delays.rttMs(), Double.MIN_NORMAL), rate));
            udp *= 1 - rate;
        }
        if (lossPct == PERCENT) {
            udp = 0;
            tcp = 0;
        }
        if (!Double.isNaN(limited)) {
            tcp = qosClass.takes(Transport.TCP) ? limited : tcp;
            udp = qosClass.takes(Transport.TCP) ? udp : limited;
        }
        boolean passive = !Double.isNaN(limited) || !Double.isNaN(throughput.least(period));
        return new ClassSample(delays.rttMs(), delays.rttMinMs(), delays.rttP95Ms(), delays.oneWayMs(), delays.errorMs(), delays.jitterMs(),
                lossPct, larger(tcp, least), larger(udp, least), answered ? loss.sent() : 0, passive, delays.dscpKept(),
                (nowNanos - measuredNanos) / NANOS_PER_SECOND, variation(nowNanos, mostAgeNanos));
    }

    private static double larger(double one, double other) {
        return Double.isNaN(one) || other > one ? other : one;
    }

    private static double smaller(double one, double other) {
        return Double.isNaN(one) || other < one ? other : one;
    }

    /** The delays of the newest period as numbers, for the next version; {@link #load} reads them. */
    double[] saveDelays() {
        double kept = delays.dscpKept() == null ? Double.NaN : delays.dscpKept() ? 1 : 0;
        return new double[] {delays.rttMs(), delays.rttMinMs(), delays.rttP95Ms(), delays.oneWayMs(), delays.errorMs(), delays.jitterMs(), kept,
                floorMs};
    }

    long measuredNanos() {
        return measuredNanos;
    }

    /** Goes on with what another has known. */
    void load(double[] saved, boolean savedAnswered, boolean savedKnown, long savedMeasured) {
        Boolean kept = Double.isNaN(saved[6]) ? null : Boolean.valueOf(saved[6] != 0);
        delays = new Delays(saved[0], saved[1], saved[2], saved[3], saved[4], saved[5], kept);
        floorMs = saved[7];
        answered = savedAnswered;
        known = savedKnown;
        measuredNanos = savedMeasured;
    }

    /**
     * What a TCP flow gets out of a path that loses packets.
     *
     * <p>While timeouts are rare: 1.22 MSS / (RTT sqrt(p)) (Mathis, Semke, Mahdavi, Ott, "The Macroscopic Behavior of the TCP Congestion Avoidance
     * Algorithm", 1997, with the constant sqrt(3/2) of an acknowledgement for each segment). It is an upper bound: with a mean window below some
     * eight segments, three duplicate acknowledgements often do not come, and timeouts rule. Then the throughput equation of RFC 5348
     * section 3.1 (Padhye and others, 1998) is used, with the 200 ms that Linux waits at least.
     */
    static final class TcpModel {
        /** Octets of data in a segment of a 1,500-octet packet over IPv4 without TCP options. */
        static final int MSS = 1460;
        private static final double MATHIS = 1.22;
        private static final double FEW_SEGMENTS = 8;
        private static final double LEAST_TIMEOUT_MS = 200;
        private static final double TIMEOUT_RTTS = 4;
        private static final double BITS_PER_OCTET = 8;

        private TcpModel() {
        }

        /**
         * The rate.
         *
         * @param rttMs mean round trip, over 0
         * @param loss  part of the packets that are lost, over 0 and up to 1
         * @return megabits a second of data
         */
        static double mbps(double rttMs, double loss) {
            double segments = MATHIS / Math.sqrt(loss);
            double msPerSegment = rttMs / segments;
            if (segments < FEW_SEGMENTS) {
                double timeoutMs = Math.max(LEAST_TIMEOUT_MS, TIMEOUT_RTTS * rttMs);
                double timeouts = 3 * Math.sqrt(3 * loss / 8) * loss * (1 + 32 * loss * loss);
                msPerSegment = rttMs * Math.sqrt(2 * loss / 3) + timeoutMs * timeouts;
            }
            return MSS * BITS_PER_OCTET / msPerSegment / 1e3;
        }
    }
}
