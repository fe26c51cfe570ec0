package org.tamanoir.dyram.wire;

import org.tamanoir.dyram.wire.Message.Echo;

/** The round trip to the next hop up, measured by reports and their echoes; smoothed as RFC 6298 section 2 does. */
public final class RoundTrip {
    private static final long MICROS = 1_000;
    /** Before anything was measured. */
    private static final long FIRST = 50_000_000;
    /** An echo of something older says nothing. */
    private static final long MOST = 10_000_000_000L;

    private long smoothed;
    private long variation;
    private long local = FIRST;
    private long remote = FIRST;

    /** The time to put into a report. */
    public int stamp(long now) {
        return (int) (now / MICROS);
    }

    public void echoed(long now, Echo echo) {
        long sample = ((int) (now / MICROS) - echo.stamp()) * MICROS;
        if (sample < 0 || sample > MOST) {
            return;
        }
        sample = Math.max(sample, MICROS);
        if (smoothed == 0) {
            smoothed = sample;
            variation = sample / 2;
        } else {
            variation += (Math.abs(smoothed - sample) - variation) / 4;
            smoothed += (sample - smoothed) / 8;
        }
        local = Math.min(MOST, echo.local() * MICROS);
        remote = Math.min(MOST, echo.remote() * MICROS);
    }

    /** Smoothed, in nanoseconds; 0 before the first measurement. */
    public long measured() {
        return smoothed;
    }

    /**
     * In nanoseconds, with its variation: an answer comes hardly ever later. A quarter more at least, for so long the next hop takes what
     * is asked for again to have crossed its repair.
     */
    public long rtt() {
        return smoothed == 0 ? FIRST : smoothed + Math.max(4 * variation, smoothed / 4);
    }

    /** Time in which the next hop gets a repair from a neighbour, in nanoseconds. */
    public long local() {
        return local;
    }

    /** Time in which the next hop gets a repair from above, in nanoseconds. */
    public long remote() {
        return remote;
    }
}
