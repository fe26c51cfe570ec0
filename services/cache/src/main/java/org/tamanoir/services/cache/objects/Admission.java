package org.tamanoir.services.cache.objects;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Which objects stay when there is no room for all (W-TinyLFU). Guarded by the lock of {@link CachedObjects}. */
final class Admission {
    private static final long KIB = 1024;
    private static final int LEAST_KIB = 8;
    /** Objects that the store has keys for, with some to spare. */
    private static final int MOST_OBJECTS = 100_000;

    private final List<CachedObject> evicted = new ArrayList<>();
    private final Cache<String, CachedObject> index;

    /**
     * @param most   octets of all objects
     * @param pinned whether the URL of an object says that it stays
     */
    Admission(long most, Predicate<String> pinned) {
        long least = Math.max(LEAST_KIB, most / KIB / MOST_OBJECTS);
        index = Caffeine.newBuilder().maximumWeight(most / KIB).executor(Runnable::run)
                .weigher((String id, CachedObject object) -> pinned.test(CachedObjects.urlOf(object.key())) ? 0 : (int) Math.max(least, object.kept / KIB))
                .removalListener((String id, CachedObject object, RemovalCause cause) -> {
                    if (cause.wasEvicted()) {
                        evicted.add(object);
                    }
                }).build();
    }

    /** Lets an object in, if it is worth more than others; returns those for which there is no room, itself perhaps. */
    List<CachedObject> admit(CachedObject object) {
        index.put(object.id(), object);
        List<CachedObject> out = List.copyOf(evicted);
        evicted.clear();
        return out;
    }

    /** An object was asked for. */
    void asked(CachedObject object) {
        index.getIfPresent(object.id());
    }

    void forget(CachedObject object) {
        if (index.getIfPresent(object.id()) == object) {
            index.invalidate(object.id());
        }
    }

    long count() {
        return index.estimatedSize();
    }
}
