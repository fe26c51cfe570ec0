package org.tamanoir.paths.metrics;

import java.util.Arrays;

/**
 * One-way delays of one run (RFC 7679), milliseconds.
 *
 * @param least  smallest
 * @param delays the middle ones
 * @param error  by how much each may be wrong, since two clocks measured it; NaN if a clock follows nobody
 * @param jitter differences of packets that follow each other ({@link Jitter}), which need no clocks that agree; null if there were no two
 * @param loss   of the packets
 */
public record OneWay(double least, Spread delays, double error, Jitter jitter, LossRatio loss) {
    /** An error up to this is always good enough. */
    private static final double SMALL_ERROR_MS = 1;

    /** @param error milliseconds, or NaN @param delays of the packets as they were sent @return null if none arrived */
    public static OneWay of(double error, double... delays) {
        double[] arrived = Arrays.stream(delays).filter(each -> !Double.isNaN(each)).sorted().toArray();
        return arrived.length == 0 ? null : new OneWay(arrived[0], Spread.of(arrived), error, Jitter.of(delays), new LossRatio(delays.length, delays.length - arrived.length));
    }

    /**
     * Whether the delay may be shown to anybody: its error is known, and less than half of the round trip, which would be the better guess. A clock that is an
     * hour off says delays below nothing or beyond the round trip, whatever it thinks of its error.
     *
     * @param roundTrip of the same path, milliseconds
     */
    public boolean isPublishable(double roundTrip) {
        return error >= 0 && error <= Math.max(SMALL_ERROR_MS, roundTrip / 2) && least >= -error && delays.median() <= roundTrip + error;
    }
}
