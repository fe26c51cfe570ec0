package org.tamanoir.benchmarks.qos.qbss;

import java.util.List;
import java.util.stream.IntStream;
import org.tamanoir.benchmarks.qos.qbss.Qbss.Experiment;
import org.tamanoir.benchmarks.qos.qbss.Qbss.Times;
import org.tamanoir.lab.FlowReceiver.FlowReport;

/**
 * What came in one run of an experiment.
 *
 * @param came of each flow: 0 is LBE, the others are best effort
 * @param sent octets of best effort
 */
record Series(Experiment experiment, Times times, List<FlowReport> came, long sent) {
    static final int LBE = 0;
    /** The first second is left to streams to find their rates. */
    private static final double SETTLING = 1;
    private static final double STEP = FlowReport.BIN;

    /** Bits of payload a second of a flow between two times. */
    double rate(int flow, double from, double to) {
        return came.get(flow).rate(flow == LBE || !experiment.isDatagrams(), flow == LBE ? QbssLab.LBE : QbssLab.BE, from, to);
    }

    /** From when on all flows run and have found their rates. */
    private double together() {
        return times.begin(experiment.flows() - 1) + SETTLING;
    }

    /** What all flows of best effort got while all of them ran. */
    double be() {
        return IntStream.rangeClosed(1, experiment.flows()).mapToDouble(flow -> rate(flow, together(), times.end(0))).sum();
    }

    /** LBE before best effort begins. */
    double alone() {
        return rate(LBE, SETTLING, times.begin());
    }

    /** LBE while best effort wants everything. */
    double beside() {
        return rate(LBE, together(), times.end(0));
    }

    /** Part of the octets of best effort that arrived; of datagrams only. */
    double arrived() {
        return came.get(1).counts().stream().mapToDouble(FlowReport.Count::octets).sum() / sent;
    }

    /**
     * Seconds from the end of best effort until LBE has a rate again, kept for half a second.
     *
     * @param rate bits of payload a second
     * @return infinite if it never has
     */
    double back(double rate) {
        double from = times.end(experiment.flows() - 1);
        for (double at = from; at + 5 * STEP <= times.end(experiment) + STEP / 2; at += STEP) {
            if (rate(LBE, at, at + 5 * STEP) >= rate) {
                return at - from;
            }
        }
        return Double.POSITIVE_INFINITY;
    }
}
