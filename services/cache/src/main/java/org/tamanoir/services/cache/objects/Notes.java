package org.tamanoir.services.cache.objects;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.tamanoir.services.cache.rules.Reason;

/** Why what is not kept is not kept: how often for each reason, and the last reason of each URL, for the URLs that were asked for last. */
public final class Notes {
    private static final int MOST = 4096;

    private final Cache<String, Reason> last = Caffeine.newBuilder().maximumSize(MOST).executor(Runnable::run).build();
    private final Map<Reason, LongAdder> counts = new EnumMap<>(Reason.class);

    Notes() {
        for (Reason reason : Reason.values()) {
            counts.put(reason, new LongAdder());
        }
    }

    /** @param key of what was not kept; null if it has none */
    public void note(String key, Reason reason) {
        counts.get(reason).increment();
        if (key != null) {
            last.put(key, reason);
        }
    }

    public long count(Reason reason) {
        return counts.get(reason).sum();
    }

    /** The last reason for each origin that was asked for a URL. */
    public Map<String, Reason> of(String url) {
        Map<String, Reason> found = new LinkedHashMap<>();
        last.asMap().forEach((key, reason) -> {
            if (CachedObjects.urlOf(key).equals(url)) {
                found.put(key, reason);
            }
        });
        return found;
    }
}
