package org.tamanoir.benchmarks.dyram.figures;

import java.util.Arrays;
import java.util.stream.DoubleStream;

/**
 * Recovery delays of a session: from the moment at which a packet would have come to a receiver by its first transmission to the moment at
 * which it came. Packets that came at first have none.
 */
final class RecoveryDelays {
    private final DoubleStream.Builder all = DoubleStream.builder();
    private final double[] last;

    RecoveryDelays(int packets) {
        last = new double[packets];
    }

    /** @param delay above 0, in round trips */
    void add(int packet, double delay) {
        all.add(delay);
        last[packet] = Math.max(last[packet], delay);
    }

    /** Rising. */
    double[] sorted() {
        return all.build().sorted().toArray();
    }

    static double mean(double[] delays) {
        return Arrays.stream(delays).average().orElse(0);
    }

    /** @param sorted rising */
    static double p99(double[] sorted) {
        return sorted.length == 0 ? 0 : sorted[(int) Math.ceil(0.99 * sorted.length) - 1];
    }

    /** Mean over the packets that somebody did not get at first. */
    double last() {
        return Arrays.stream(last).filter(delay -> delay > 0).average().orElse(0);
    }
}
