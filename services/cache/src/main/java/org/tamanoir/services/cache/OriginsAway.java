package org.tamanoir.services.cache;

import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.Map;
import java.util.function.LongSupplier;
import org.tamanoir.anep.BoundedMap;

/** Origins that gave no answer lately: for some seconds they are not asked where there is something stale to give away instead. */
final class OriginsAway {
    private static final int MOST = 1024;
    private static final long MILLIS = 5_000;

    private final LongSupplier clock;
    private final Map<InetSocketAddress, Long> since = Collections.synchronizedMap(BoundedMap.byUse(MOST));

    OriginsAway(LongSupplier clock) {
        this.clock = clock;
    }

    void failed(InetSocketAddress origin) {
        since.put(origin, clock.getAsLong());
    }

    void answered(InetSocketAddress origin) {
        if (!since.isEmpty()) {
            since.remove(origin);
        }
    }

    boolean isAway(InetSocketAddress origin) {
        Long failed = since.isEmpty() ? null : since.get(origin);
        return failed != null && clock.getAsLong() - failed < MILLIS;
    }
}
