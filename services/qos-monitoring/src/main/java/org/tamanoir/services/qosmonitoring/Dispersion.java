package org.tamanoir.services.qosmonitoring;

import java.util.Arrays;
import org.tamanoir.service.probe.Probes.Answers.Answer;

/**
 * The rate at which packets that were sent back to back arrive: the bottleneck spreads them, and what it drops does not arrive.
 *
 * <p>A token bucket lets its depth through at the speed of the line before its rate shows. So the first half of what arrived is left out, and
 * if the last quarter is still clearly slower than the third, the third too.
 */
final class Dispersion {
    /** Fewer arrivals than this are taken as a whole. */
    private static final int HALVED = 8;
    /** A quarter is clearly slower than the one before if its rate is below this part of it. */
    private static final double CLEARLY = 0.8;
    /** No rate above is believed: a terabit a second. */
    private static final double MOST_MBPS = 1e6;
    private static final double BITS_PER_OCTET = 8;

    private Dispersion() {
    }

    /**
     * The rate of a train.
     *
     * @param octets of each packet
     * @return megabits a second; NaN if fewer than two packets arrived, at one moment only, or a clock was set meanwhile
     */
    static double mbps(ReceivedTrain train, int octets) {
        long[] arrivals = new long[train.packets()];
        int count = 0;
        Answer first = null;
        for (int i = 0; i < train.packets(); i++) {
            Answer answer = train.timed(i);
            if (answer != null) {
                first = first == null ? answer : first;
                if (!ReceivedTrain.isConsistent(first, answer)) {
                    return Double.NaN;
                }
                arrivals[count++] = answer.arrivedNanos() - first.arrivedNanos();
            }
        }
        Arrays.sort(arrivals, 0, count);
        if (count < HALVED) {
            return mbps(arrivals, 0, count - 1, octets);
        }
        int half = count / 2;
        int quarter = half + (count - half) / 2;
        double third = mbps(arrivals, half, quarter, octets);
        double last = mbps(arrivals, quarter, count - 1, octets);
        return last < CLEARLY * third ? last : mbps(arrivals, half, count - 1, octets);
    }

    private static double mbps(long[] arrivals, int from, int to, int octets) {
        if (to <= from || arrivals[to] <= arrivals[from]) {
            return Double.NaN;
        }
        double bitsPerMicro = BITS_PER_OCTET * octets * (to - from) * 1e3 / (arrivals[to] - arrivals[from]);
        return Math.min(bitsPerMicro, MOST_MBPS);
    }
}
