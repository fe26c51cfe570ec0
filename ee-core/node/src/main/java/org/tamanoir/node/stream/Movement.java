package org.tamanoir.node.stream;

/** How long nothing has moved in a stream; looked at with each tick. */
final class Movement {
    private long octets;
    /** The first tick comes at any time after the beginning. */
    private long quietNanos = -StreamClock.TICK_NANOS;
    private long useful;
    private long stuckNanos;

    /** Time passes. */
    void passes(long nanos) {
        quietNanos += nanos;
        stuckNanos += nanos;
    }

    /**
     * What there was to see.
     *
     * @param octets that have been read or taken by a peer since the beginning
     * @param useful packets that have become whole and octets that a peer has taken
     */
    void looked(long octets, long useful) {
        quietNanos = octets == this.octets ? quietNanos : 0;
        this.octets = octets;
        stuckNanos = useful == this.useful ? stuckNanos : 0;
        this.useful = useful;
    }

    /** How long no octet has come or gone. */
    long quietNanos() {
        return quietNanos;
    }

    /** How long no packet has become whole and no octet has left. */
    long stuckNanos() {
        return stuckNanos;
    }
}
