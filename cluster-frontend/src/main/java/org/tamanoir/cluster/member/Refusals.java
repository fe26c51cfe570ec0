package org.tamanoir.cluster.member;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The back ends that were refused last, for the status: whoever is refused once a period is said once. By name and instance: while an impostor is refused,
 * the one whose name it is is not.
 */
final class Refusals {
    /** As many are kept; with more of them the one that was not refused for longest is dropped. */
    static final int MOST = 64;

    private record Key(String name, String instance) {
    }

    private final Map<Key, Refusal> byKey = new LinkedHashMap<>();

    /** @return whether this is news */
    boolean add(String name, String instance, String text, long now) {
        Key key = new Key(name, instance);
        Refusal last = byKey.remove(key);
        boolean news = last == null || !last.text().equals(text);
        byKey.put(key, news ? new Refusal(name, instance, text, 1, now, now) : new Refusal(name, instance, text, last.count() + 1, last.since(), now));
        if (byKey.size() > MOST) {
            byKey.remove(byKey.keySet().iterator().next());
        }
        return news;
    }

    /** A report was taken. */
    void taken(String name, String instance) {
        byKey.remove(new Key(name, instance));
    }

    /** Drops those that have not been refused for so long. */
    void expire(long nanos, long now) {
        byKey.values().removeIf(refusal -> now - refusal.last() > nanos);
    }

    List<Refusal> list() {
        return List.copyOf(byKey.values());
    }
}
