package org.tamanoir.services.cache;

import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.Map;
import java.util.function.LongSupplier;
import org.tamanoir.anep.BoundedMap;

/** Which origins gave an answer lately, and which gave none: for some seconds those are not asked where there is something stale to give away instead. */
final class OriginsAway {
    private static final int MOST = 1024;
    private static final long MILLIS = 5_000;

    /** What an origin did last, and when. */
    private record Last(boolean answered, long millis) {
    }

    private final LongSupplier clock;
    private final Map<InetSocketAddress, Last> origins = Collections.synchronizedMap(BoundedMap.byUse(MOST));

    OriginsAway(LongSupplier clock) {
        this.clock = clock;
    }

    void failed(InetSocketAddress origin) {
        origins.put(origin, new Last(false, clock.getAsLong()));
    }

    void answered(InetSocketAddress origin) {
        origins.put(origin, new Last(true, clock.getAsLong()));
    }

    boolean isAway(InetSocketAddress origin) {
        return did(origin, false);
    }

    /** Whether it has answered just now. */
    boolean isThere(InetSocketAddress origin) {
        return did(origin, true);
    }

    private boolean did(InetSocketAddress origin, boolean answered) {
        Last last = origins.get(origin);
        return last != null && last.answered == answered && clock.getAsLong() - last.millis < MILLIS;
    }
}
