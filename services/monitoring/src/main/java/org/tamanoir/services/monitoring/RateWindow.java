package org.tamanoir.services.monitoring;

/**
 * What came in each of the last {@value #SECONDS} whole seconds. Seconds are counted from the first packet on; the one that is running
 * is not shown until it is over.
 */
final class RateWindow {
    static final int SECONDS = 10;
    private static final long SECOND = 1_000_000_000L;

    private final long[] packets = new long[SECONDS];
    private final long[] octets = new long[SECONDS];
    private int next;
    private long end;
    private long packetsBefore;
    private long octetsBefore;

    void begin(long nanos) {
        end = nanos + SECOND;
    }

    /** Whether the running second has ended. */
    boolean isOver(long nanos) {
        return nanos - end >= 0;
    }

    /**
     * Closes the seconds that are over.
     *
     * @param packetsNow all packets before this moment
     * @param octetsNow  all octets before this moment
     */
    void roll(long nanos, long packetsNow, long octetsNow) {
        if (!isOver(nanos)) {
            return;
        }
        add(packetsNow - packetsBefore, octetsNow - octetsBefore);
        packetsBefore = packetsNow;
        octetsBefore = octetsNow;
        long empty = (nanos - end) / SECOND;
        for (long i = Math.min(empty, SECONDS); i > 0; i--) {
            add(0, 0);
        }
        end += (empty + 1) * SECOND;
    }

    private void add(long packetsOfSecond, long octetsOfSecond) {
        packets[next] = packetsOfSecond;
        octets[next] = octetsOfSecond;
        next = (next + 1) % SECONDS;
    }

    /** Packets a second over the last seconds, 1 to {@value #SECONDS}. */
    double packetsPerSecond(int seconds) {
        return sum(packets, seconds) / (double) seconds;
    }

    /** Bits a second over the last seconds, 1 to {@value #SECONDS}. */
    double bitsPerSecond(int seconds) {
        return sum(octets, seconds) * 8.0 / seconds;
    }

    private long sum(long[] values, int seconds) {
        long sum = 0;
        for (int i = 1; i <= seconds; i++) {
            sum += values[(next - i + SECONDS) % SECONDS];
        }
        return sum;
    }
}
