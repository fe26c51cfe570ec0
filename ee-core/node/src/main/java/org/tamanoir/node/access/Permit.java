package org.tamanoir.node.access;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.tamanoir.anep.ServiceName;

/** What the access policy has allowed a stream. Given back with {@link #close} when the stream is over; until then it counts for its identity. Any thread. */
public final class Permit implements AutoCloseable {
    /** That of a node without a policy: everything is allowed and nothing counted. */
    public static final Permit ALL = new Permit(null, null, null, () -> { });

    private final AccessRule rule;
    private final String identity;
    private final Share share;
    private final Runnable given;
    private boolean closed;

    Permit(AccessRule rule, String identity, Share share, Runnable given) {
        this.rule = rule;
        this.identity = identity;
        this.share = share;
        this.given = given;
    }

    /** As whom the policy knows the peer: the name in a certificate, issuer and subject of a token, or a prefix; null without a policy. */
    public String identity() {
        return identity;
    }

    /** The line of the policy that allowed the stream; null without a policy. */
    public String because() {
        return rule == null ? null : rule.toString();
    }

    /** Whether its packets have to be looked at: their rate or their code points are limited. */
    public boolean isLimiting() {
        return rule != null && rule.isLimiting();
    }

    /** The code point itself if packets may leave with it, otherwise 0. */
    public int codePoint(int wanted) {
        return wanted == 0 || rule.classes() == null || rule.classes().contains(wanted) ? wanted : 0;
    }

    /**
     * Counts octets that pass.
     *
     * @return nanoseconds for which nothing more should be let through; 0 if the rate is kept
     */
    public long pass(int octets, long now) {
        return rule.rate() == 0 ? 0 : share.pass(octets, rule.rate(), now);
    }

    /** Counts octets if the rate allows them, and says whether it does. */
    public boolean tryPass(int octets, long now) {
        return rule.rate() == 0 || share.tryPass(octets, rule.rate(), now);
    }

    /** Whether a service that its stream is about to get is meant: what a guest's service is called was known before from those only who offer it. */
    public boolean covers(int typeId, String name) {
        return rule == null || !ServiceName.isGuestType(typeId) || rule.services().has(name);
    }

    /** Whether its stream is over. */
    public synchronized boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed || this == ALL) {
                return;
            }
            closed = true;
        }
        given.run();
    }

    /**
     * What the streams of one identity under one rule have together. The rate is kept by the virtual scheduling algorithm (ITU-T I.371, Annex A) with a
     * tolerance of {@value #BURST_MILLIS} ms.
     */
    static final class Share {
        private static final long BURST_MILLIS = 50;
        private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(BURST_MILLIS);

        /** Streams; changed by {@link AccessControl} alone. */
        int streams;
        private final AtomicLong theoretical = new AtomicLong(Long.MIN_VALUE);

        long pass(int octets, long rate, long now) {
            long cost = cost(octets, rate);
            long then = theoretical.updateAndGet(before -> Math.max(before, now) + cost);
            return Math.max(0, then - now - BURST_NANOS);
        }

        boolean tryPass(int octets, long rate, long now) {
            long cost = cost(octets, rate);
            while (true) {
                long before = theoretical.get();
                long then = Math.max(before, now) + cost;
                // One packet passes even if it alone is more than the tolerance.
                if (before > now && then - now > BURST_NANOS) {
                    return false;
                }
                if (theoretical.compareAndSet(before, then)) {
                    return true;
                }
            }
        }

        private static long cost(int octets, long rate) {
            return (long) (octets * 8e9 / rate);
        }
    }
}
