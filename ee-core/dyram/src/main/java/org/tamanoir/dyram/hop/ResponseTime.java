package org.tamanoir.dyram.hop;

/**
 * How long answers take, from what was measured: a busy host answers later than its round trip says. Smoothed as RFC 6298 section 2 does; only
 * what was asked once counts (Karn), for nobody knows which of two questions an answer is to.
 */
final class ResponseTime {
    /** A single host that is slow on purpose must not make everybody wait. */
    private static final long MOST = 250_000_000;

    private long smoothed;
    private long variation;

    void sample(long nanos) {
        long sample = Math.min(MOST, Math.max(0, nanos));
        if (smoothed == 0) {
            smoothed = sample;
            variation = sample / 2;
        } else {
            variation += (Math.abs(smoothed - sample) - variation) / 4;
            smoothed += (sample - smoothed) / 8;
        }
    }

    /** Hardly any answer takes longer, in nanoseconds, at most 250 ms; 0 before the first. */
    long bound() {
        return Math.min(MOST, smoothed + 4 * variation);
    }
}
