package org.tamanoir.dyram.source;

/** When the next packet may leave: a clock that every packet moves on by the time that its bits take at the rate. */
final class Pace {
    /** What is behind by more was not sent because of a pause, and is not made up for. */
    private static final long MOST_BEHIND = 4_000_000;
    /** Packets leave together rather than wake the sender for each. */
    private static final long QUANTUM = 500_000;
    /** So many packets are due together before the sender wakes, if they do not take longer than {@link #MOST_WAIT}. */
    private static final int BURST = 8;
    private static final long MOST_WAIT = 2_000_000;
    private static final double NANOS = 1e9;

    private long rate;
    private long next;

    Pace(long rate, long now) {
        this.rate = rate;
        this.next = now;
    }

    void rate(long bitsPerSecond) {
        rate = bitsPerSecond;
    }

    long rate() {
        return rate;
    }

    boolean maySend(long now) {
        next = Math.max(next, now - MOST_BEHIND);
        return next <= now + QUANTUM;
    }

    /** A packet has left. @param octets on the wire, over all its copies */
    void sent(long octets) {
        next += (long) (octets * 8 * NANOS / rate);
    }

    /** When something may be sent, whether or not more is due with it. */
    long soonest() {
        return next - QUANTUM;
    }

    /** When it is time to send again. @param octets of a packet on the wire */
    long next(long octets) {
        return next + Math.min(MOST_WAIT, (BURST - 1) * time(octets));
    }

    /** Nanoseconds that a packet takes. */
    long time(long octets) {
        return (long) (octets * 8 * NANOS / rate);
    }
}
