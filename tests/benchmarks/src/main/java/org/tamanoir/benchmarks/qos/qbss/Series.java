package org.tamanoir.benchmarks.qos.qbss;

import java.util.List;
import org.tamanoir.lab.FlowReport;
import org.tamanoir.lab.Flows;

/**
 * What came in one run of an experiment.
 *
 * @param experiment which
 * @param times      of it
 * @param lbe        what came of LBE
 * @param be         what came of each flow of best effort
 * @param sent       what each flow of best effort sent
 */
record Series(Experiment experiment, Times times, FlowReport lbe, List<FlowReport> be, List<Flows.Sent> sent) {
    private static final double SETTLING = 1;
    private static final double STEP = FlowReport.BIN;

    /** Bits of payload a second of LBE between two times. */
    double lbe(double from, double to) {
        return lbe.rate(true, QbssLab.LBE, from, to);
    }

    /** The same of a flow of best effort. */
    double be(int flow, double from, double to) {
        return be.get(flow).rate(!experiment.isDatagrams(), QbssLab.BE, from, to);
    }

    /** What all flows of best effort got while all of them ran. */
    double allBe() {
        double sum = 0;
        for (int flow = 0; flow < experiment.flows(); flow++) {
            sum += be(flow, together() + SETTLING, times.end(0));
        }
        return sum;
    }

    /** From when on all flows run. */
    private double together() {
        return times.begin(experiment.flows() - 1);
    }

    /** LBE before best effort begins. */
    double alone() {
        return lbe(SETTLING, times.begin());
    }

    /** LBE while best effort wants everything; the first second is left to the streams to find their rates. */
    double beside() {
        return lbe(together() + SETTLING, times.end(0));
    }

    /** Part of the octets of best effort that arrived; of datagrams only. */
    double arrived() {
        return be.get(0).counts().stream().mapToDouble(FlowReport.Count::octets).sum() / sent.get(0).octets();
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
            if (lbe(at, at + 5 * STEP) >= rate) {
                return at - from;
            }
        }
        return Double.POSITIVE_INFINITY;
    }
}
