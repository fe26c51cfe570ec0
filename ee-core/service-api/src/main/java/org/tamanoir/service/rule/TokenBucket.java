package org.tamanoir.service.rule;

/**
 * A token bucket in whole numbers: it holds nano-octets, octets times 10<sup>9</sup>, so that a rate in octets a second fills it exactly in whole
 * nanoseconds. It knows no clock: whoever fills it says how much time has passed. Not thread-safe.
 */
public final class TokenBucket {
    /** Nano-octets of an octet. */
    public static final long NANOS = 1_000_000_000L;
    /** More than two buckets hold; with what a bucket holds already it fits 64 bits. */
    private static final long ENOUGH = 2 * (Meter.MOST_BURST + 1) * NANOS;

    private long rate;
    private long most;
    private long fullAfter;
    private long tokens;

    /**
     * A full bucket.
     *
     * @param rate  octets a second, 0 to {@link Meter#MOST_RATE}
     * @param burst octets that it holds, 0 to {@link Meter#MOST_BURST}
     */
    public TokenBucket(long rate, long burst) {
        set(rate, burst);
        tokens = most;
    }

    /** Another rate and depth from now on; what is in it stays, as far as it has room. {@link #fill} it first for the time before. */
    public void set(long octetsPerSecond, long burst) {
        if (octetsPerSecond < 0 || octetsPerSecond > Meter.MOST_RATE || burst < 0 || burst > Meter.MOST_BURST) {
            throw new IllegalArgumentException("a bucket of " + burst + " octets at " + octetsPerSecond + " octets a second is out of range");
        }
        rate = octetsPerSecond;
        most = burst * NANOS;
        fullAfter = rate == 0 ? 0 : ENOUGH / rate + 1;
        tokens = Math.min(tokens, most);
    }

    /**
     * Lets time pass.
     *
     * @param nanos 0 or more
     * @return nano-octets that found no room: all of them, or at least what another bucket can hold
     */
    public long fill(long nanos) {
        long more = Math.min(nanos, fullAfter) * rate;
        long room = most - tokens;
        if (more <= room) {
            tokens += more;
            return 0;
        }
        tokens = most;
        return more - room;
    }

    /** Adds nano-octets, as far as there is room. */
    public void add(long nanoOctets) {
        tokens += Math.min(nanoOctets, most - tokens);
    }

    /**
     * Takes tokens for a packet.
     *
     * @param octets 0 to {@link Meter#MOST_BURST}
     * @return false, and nothing is taken, if there are not enough
     */
    public boolean take(long octets) {
        if (!holds(octets)) {
            return false;
        }
        tokens -= octets * NANOS;
        return true;
    }

    /** Whether there are enough tokens for a packet. */
    public boolean holds(long octets) {
        return tokens >= octets * NANOS;
    }

    /** Nanoseconds until it holds enough for a packet if nothing is taken: the first at which it does; {@link Long#MAX_VALUE} for never. */
    public long untilHolds(long octets) {
        long size = octets * NANOS;
        if (tokens >= size) {
            return 0;
        }
        return size > most || rate == 0 ? Long.MAX_VALUE : (size - tokens - 1) / rate + 1;
    }

    /** Octets a second. */
    public long rate() {
        return rate;
    }

    /** Nano-octets in it. */
    public long tokens() {
        return tokens;
    }

    /** Leaves no more in it than another bucket holds, for a bucket that takes that one's place. */
    void startWith(long nanoOctets) {
        tokens = Math.min(most, nanoOctets);
    }
}
