package org.tamanoir.node.trace;

import org.tamanoir.anep.TraceContext;
import org.tamanoir.node.trace.TraceSettings.Follow;
import org.tamanoir.service.rule.TokenBucket;

/**
 * Decides which streams are recorded. Whatever others ask for, no more are than the bound allows; flags of strangers use half of it at most, so that they
 * cannot keep a node from recording what it draws itself and what its peers ask for. Knows no clock and no chance: both are given. Any thread; only for a
 * stream that may be recorded does it take a lock.
 */
final class SamplingBound {
    /** A token is a stream. */
    private final TokenBucket bucket = new TokenBucket(0, 0);
    private long filledAt;
    private boolean filled;

    /**
     * @param now      of a clock that only goes forward, nanoseconds
     * @param given    the trace that the first packet names; null for none
     * @param believed whether a listed node sends it
     * @param drawn    at random, 0 to 1
     */
    boolean takes(long now, TraceContext given, boolean believed, TraceSettings settings, double drawn) {
        boolean counts = given != null && (settings.follow() == Follow.ALL || settings.follow() == Follow.PEERS && believed);
        if (counts ? !given.isSampled() : drawn >= settings.ratio()) {
            return false;
        }
        // A bound of one has no half.
        return take(now, settings.perSecond(), counts && !believed ? settings.perSecond() / 2 : 0);
    }

    /** @param left for others */
    private synchronized boolean take(long now, int perSecond, int left) {
        fill(now, perSecond);
        return bucket.holds(1 + left) && bucket.take(1);
    }

    private void fill(long now, int perSecond) {
        if (filled) {
            bucket.set(perSecond, perSecond);
            bucket.fill(Math.max(0, now - filledAt));
        } else {
            bucket.set(perSecond, perSecond);
            bucket.add(perSecond * TokenBucket.NANOS);
            filled = true;
        }
        filledAt = now;
    }
}
