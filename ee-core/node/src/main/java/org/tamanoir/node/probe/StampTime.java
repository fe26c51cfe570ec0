package org.tamanoir.node.probe;

/**
 * The two forms of time in STAMP, each 64 bits: NTP (RFC 5905 section 6: seconds since 1900 and 2<sup>-32</sup> of them) and truncated PTP
 * (RFC 8186: seconds since 1970 and nanoseconds). Ours is NTP; the bit Z of an error estimate says which one a packet has.
 */
final class StampTime {
    /** From 1900 to 1970, in seconds. */
    private static final long SINCE_1900 = 2_208_988_800L;
    private static final long SECOND = 1_000_000_000L;
    /** The seconds of NTP begin anew in 2036: without the first bit they are of the time after (RFC 4330 section 3). */
    private static final long ERA = 1L << 32;

    private StampTime() {
    }

    /** NTP of nanoseconds since 1970. */
    static long ntp(long nanos) {
        long seconds = Math.floorDiv(nanos, SECOND) + SINCE_1900;
        return seconds << 32 | (Math.floorMod(nanos, SECOND) << 32) / SECOND;
    }

    /** Nanoseconds since 1970 of NTP; the inverse of {@link #ntp} to the nanosecond, from 1968 to 2104. */
    static long ofNtp(long ntp) {
        long seconds = ntp >>> 32;
        if (seconds < ERA / 2) {
            seconds += ERA;
        }
        long fraction = ntp & 0xFFFF_FFFFL;
        return (seconds - SINCE_1900) * SECOND + (fraction * SECOND + (1L << 31) >>> 32);
    }

    /** Nanoseconds since 1970 of either form; a fraction of more than a second of PTP counts as it stands. */
    static long of(long time, boolean ptp) {
        return ptp ? (time >>> 32) * SECOND + (time & 0xFFFF_FFFFL) : ofNtp(time);
    }
}
