package org.tamanoir.node.probe;

/**
 * What a host says of its clock in 16 bits (RFC 4656 section 4.1.2): S, Z (RFC 8186 section 2.3), six bits of scale, eight of multiplier; the
 * error is multiplier &middot; 2<sup>scale-32</sup> seconds.
 */
final class ErrorEstimate {
    /** The clock follows an external source. */
    static final int SYNCHRONISED = 0x8000;
    /** Times are in the form of PTP. */
    static final int PTP = 0x4000;
    /** What counts as an error that nobody knows: more than four years. */
    static final long UNKNOWN = Long.MAX_VALUE / 64;

    /** Of a clock of which nothing is known: not synchronised, a second. */
    static final int NOBODY_KNOWS = 32 << 8 | 1;

    private static final int SCALE_SHIFT = 8;
    private static final int SCALE_MOST = 63;
    private static final int MULTIPLIER_MOST = 0xFF;
    private static final double SECOND = 1e9;

    private ErrorEstimate() {
    }

    /** The least that is not below an error, times in NTP. */
    static int of(boolean synchronised, long nanos) {
        double units = Math.max(0, nanos) / SECOND * 0x1p32;
        int scale = 0;
        while (units > MULTIPLIER_MOST && scale < SCALE_MOST) {
            units /= 2;
            scale++;
        }
        return (synchronised ? SYNCHRONISED : 0) | scale << SCALE_SHIFT | (int) Math.max(1, Math.min(MULTIPLIER_MOST, Math.ceil(units)));
    }

    static boolean synchronised(int estimate) {
        return (estimate & SYNCHRONISED) != 0 && (estimate & MULTIPLIER_MOST) != 0;
    }

    static boolean ptp(int estimate) {
        return (estimate & PTP) != 0;
    }

    /** The error in nanoseconds; {@link #UNKNOWN} at most, and where the multiplier is 0, which nobody may send. */
    static long nanos(int estimate) {
        int multiplier = estimate & MULTIPLIER_MOST;
        double nanos = multiplier * Math.scalb(SECOND, (estimate >> SCALE_SHIFT & SCALE_MOST) - 32);
        return multiplier == 0 ? UNKNOWN : (long) Math.min(UNKNOWN, Math.ceil(nanos));
    }
}
