package org.tamanoir.node.probe;

import java.util.Arrays;

/**
 * How many probes are answered: a number each second for all, and a quarter of it for one source, so that one does not take the others'.
 * Token buckets that hold one second's worth and begin full. Sources share 1,024 buckets by a keyed hash of their address (of IPv6 the /64
 * network): what is remembered does not grow, and nobody can choose whom he shares with.
 */
final class RateBound {
    private static final int SOURCES = 1024;
    private static final int PART_OF_ONE = 4;
    private static final long SECOND = 1_000_000_000L;

    private final long perSecond;
    private final long perSource;
    private final long key;
    private final Bucket all;
    private final Bucket[] sources = new Bucket[SOURCES];

    /** Tokens are counted in nanoseconds times rate: no rounding. */
    private static final class Bucket {
        private long tokens;
        private long filled;

        private Bucket(long rate, long now) {
            tokens = rate * SECOND;
            filled = now;
        }

        private boolean holds(long rate, long now) {
            long since = Math.min(SECOND, Math.max(0, now - filled));
            tokens = Math.min(rate * SECOND, tokens + since * rate);
            filled = now;
            return tokens >= SECOND;
        }
    }

    /**
     * Full buckets.
     *
     * @param perSecond 1 to a million
     * @param key       secret
     * @param now       nanoseconds of any clock that does not go back
     */
    RateBound(long perSecond, long key, long now) {
        this.perSecond = perSecond;
        this.perSource = Math.max(1, perSecond / PART_OF_ONE);
        this.key = key;
        this.all = new Bucket(perSecond, now);
        Arrays.setAll(sources, i -> new Bucket(perSource, now));
    }

    /** Takes a token of a source, if there is one of it and one of all. @param network and host: the halves of an address in 16 octets */
    boolean admits(long network, long host, long now) {
        Bucket source = sources[place(network, network == 0 ? host : 0)];
        if (!source.holds(perSource, now) || !all.holds(perSecond, now)) {
            return false;
        }
        source.tokens -= SECOND;
        all.tokens -= SECOND;
        return true;
    }

    /** A finaliser of MurmurHash3 over both halves. */
    private int place(long network, long host) {
        long mixed = mix(mix(network ^ key) + host);
        return (int) (mixed >>> 32) & SOURCES - 1;
    }

    private static long mix(long value) {
        long mixed = (value ^ value >>> 33) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ mixed >>> 33) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ mixed >>> 33;
    }
}
