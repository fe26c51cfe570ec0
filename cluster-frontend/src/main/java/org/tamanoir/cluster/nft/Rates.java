package org.tamanoir.cluster.nft;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * How fast counters grow, estimated as IPVS does (net/netfilter/ipvs/ip_vs_est.c): each two seconds a quarter of the difference to what was seen in them.
 * No I/O. As many as there are counters.
 */
final class Rates {
    private static final double GAIN = 0.25;

    private record Rate(long value, double perSecond) {
    }

    private final Map<String, Rate> rates = new HashMap<>();
    private long last;
    private boolean begun;

    /**
     * Takes new values of all counters; about every two seconds.
     *
     * @param now nanoseconds
     */
    void take(long now, Map<String, Long> values) {
        double seconds = (now - last) / 1e9;
        if (begun && seconds <= 0) {
            return;
        }
        rates.keySet().retainAll(Set.copyOf(values.keySet()));
        values.forEach((name, value) -> {
            Rate before = rates.get(name);
            // One that has begun anew has fewer than before.
            double seen = before == null || value < before.value ? 0 : (value - before.value) / seconds;
            double rate = before == null ? 0 : before.perSecond;
            rates.put(name, new Rate(value, rate + GAIN * (seen - rate)));
        });
        last = now;
        begun = true;
    }

    /** A second; 0 of one that is not known. */
    long of(String name) {
        Rate rate = rates.get(name);
        return rate == null ? 0 : Math.round(rate.perSecond);
    }
}
