package org.tamanoir.services.cache.rules;

import java.util.Set;
import org.tamanoir.services.cache.http.Head;

/** When what is kept may be given to somebody without a word of the origin (RFC 9111, section 4.2; RFC 5861, section 4). */
public final class Using {
    private static final Set<Integer> ERRORS = Set.of(500, 502, 503, 504);

    private Using() {
    }

    /**
     * Whether it may be given away now.
     *
     * @param together whether it was asked for before the answer had come: who waited for it may have it although it is stale at once
     */
    public static boolean isUsable(Head request, Stored stored, long nowMillis, double heuristic, boolean together) {
        CacheControl asked = CacheControl.of(request);
        CacheControl answered = CacheControl.of(stored.head());
        if (stored.asks() || answered.has("no-cache")) {
            return false;
        }
        if (together) {
            return true;
        }
        long age = stored.age(nowMillis);
        long left = stored.lifetime(heuristic) - age;
        if (asked.has("no-cache") || age > asked.seconds("max-age", CacheControl.FOREVER) || asked.has("max-age") && asked.seconds("max-age", 0) == 0) {
            return false;
        }
        if (left > asked.seconds("min-fresh", 0)) {
            return true;
        }
        boolean anyStale = asked.isBare("max-stale");
        return !mustValidate(answered) && asked.has("max-stale") && (anyStale || -left <= asked.seconds("max-stale", 0));
    }

    /** Whether the origin's failure is a reason to give away what is stale. */
    public static boolean isError(int status) {
        return ERRORS.contains(status);
    }

    /**
     * Whether it may be given away although it is stale, because the origin fails or is away.
     *
     * @param preset seconds for which an answer that says nothing of it may be used so
     */
    public static boolean isUsableOnError(Head request, Stored stored, long nowMillis, double heuristic, long preset) {
        CacheControl asked = CacheControl.of(request);
        CacheControl answered = CacheControl.of(stored.head());
        if (stored.asks() || mustValidate(answered) || answered.has("no-cache") || asked.has("no-cache")) {
            return false;
        }
        long over = stored.age(nowMillis) - stored.lifetime(heuristic);
        long allowed = Math.max(answered.seconds("stale-if-error", preset), asked.seconds("stale-if-error", 0));
        return allowed > 0 && over <= allowed;
    }

    private static boolean mustValidate(CacheControl answered) {
        return answered.has("must-revalidate") || answered.has("proxy-revalidate") || answered.has("s-maxage");
    }
}
