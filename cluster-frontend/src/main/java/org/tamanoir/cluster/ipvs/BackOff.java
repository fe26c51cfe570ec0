package org.tamanoir.cluster.ipvs;

import java.time.Duration;

/** How long to wait before a program that has died is started again: not at all at first, then twice as long each time. No I/O. */
final class BackOff {
    static final Duration FIRST = Duration.ofMillis(250);
    static final Duration MOST = Duration.ofSeconds(10);
    /** Who has lived so long begins anew. */
    static final Duration WELL = Duration.ofSeconds(30);

    private Duration next = Duration.ZERO;

    /** @param lived how long the program ran */
    Duration after(Duration lived) {
        if (lived.compareTo(WELL) >= 0) {
            next = Duration.ZERO;
        }
        Duration wait = next;
        Duration doubled = next.isZero() ? FIRST : next.multipliedBy(2);
        next = doubled.compareTo(MOST) > 0 ? MOST : doubled;
        return wait;
    }
}
