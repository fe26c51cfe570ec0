package org.tamanoir.cluster.member;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The back ends that were refused last, for the status: whoever is refused once a period is said once. */
final class Refusals {
    /** Names that are kept; with more of them the one that was not refused for longest is dropped. */
    static final int MOST = 64;

    private final Map<String, Refusal> byName = new LinkedHashMap<>();

    /** @return whether this is news */
    boolean add(String name, String text, long now) {
        Refusal last = byName.remove(name);
        boolean news = last == null || !last.text().equals(text);
        byName.put(name, news ? new Refusal(name, text, 1, now, now) : new Refusal(name, text, last.count() + 1, last.since(), now));
        if (byName.size() > MOST) {
            byName.remove(byName.keySet().iterator().next());
        }
        return news;
    }

    /** A report of this name was taken. */
    void taken(String name) {
        byName.remove(name);
    }

    /** Drops those that have not been refused for so long. */
    void expire(long nanos, long now) {
        byName.values().removeIf(refusal -> now - refusal.last() > nanos);
    }

    List<Refusal> list() {
        return List.copyOf(byName.values());
    }
}
