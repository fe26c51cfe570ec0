package org.tamanoir.services.cache;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.tamanoir.service.Metrics;
import org.tamanoir.services.cache.objects.CachedObjects;
import org.tamanoir.services.cache.rules.Reason;

/** What the service counts over all streams. */
final class CacheCounters {
    /** How a request was answered. */
    enum Result {
        /** From what is kept, without a word of the origin. */
        HIT,
        /** From what somebody else was fetching. */
        COLLAPSED,
        /** From what is kept, after the origin has said that it holds. */
        REVALIDATED,
        /** From what is kept and stale, because the origin fails. */
        STALE,
        /** By the origin, and it is kept. */
        MISS,
        /** By the origin alone. */
        PASSED,
        /** Not at all: nothing is kept, and the program wanted nothing else. */
        REFUSED;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Map<Result, LongAdder> results = new EnumMap<>(Result.class);
    final LongAdder fromOrigin = new LongAdder();
    final LongAdder fromCache = new LongAdder();
    final LongAdder takenOver = new LongAdder();
    final LongAdder fromNeighbours = new LongAdder();

    CacheCounters() {
        Arrays.stream(Result.values()).forEach(result -> results.put(result, new LongAdder()));
    }

    void count(Result result) {
        results.get(result).increment();
    }

    void register(Metrics metrics, CachedObjects objects) {
        results.forEach((result, count) -> metrics.counter("requests", "Requests of programs.", Map.of("result", result.word()), count::sum));
        for (Reason reason : Reason.values()) {
            metrics.counter("not_kept", "Requests and answers that were left to the origin, or not kept.", Map.of("reason", reason.word()),
                    () -> objects.notes().count(reason));
        }
        metrics.counter("content_bytes", "Octets of content.", Map.of("from", "origin"), fromOrigin::sum);
        metrics.counter("content_bytes", "Octets of content.", Map.of("from", "cache"), fromCache::sum);
        metrics.counter("content_bytes", "Octets of content.", Map.of("from", "neighbour"), fromNeighbours::sum);
        metrics.counter("taken_over", "Fetches that another stream went on with, because the first was gone.", takenOver::sum);
        metrics.counter("blocks_read", "Blocks that were read.", Map.of("from", "memory"), objects.tier()::fromMemory);
        metrics.counter("blocks_read", "Blocks that were read.", Map.of("from", "disk"), objects.tier()::fromDisk);
        metrics.counter("blocks_lost", "Blocks that were gone or damaged when they were read.", objects.tier()::lost);
        metrics.gauge("objects", "Objects that are kept.", objects::count);
        metrics.gauge("bytes", "Octets that are kept on the disk.", objects::octets);
        metrics.gauge("memory_bytes", "Octets of blocks in memory.", objects.tier()::octets);
    }
}
