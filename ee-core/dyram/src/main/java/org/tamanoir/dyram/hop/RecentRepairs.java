package org.tamanoir.dyram.hop;

import java.util.LinkedHashMap;
import java.util.Map;

/** Who has repaired which packet of late: a blame counts only for what was really sent. */
final class RecentRepairs {
    private final Map<Long, Integer> repliers;

    RecentRepairs(int most) {
        repliers = new LinkedHashMap<>() {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Long, Integer> eldest) {
                return size() > most;
            }
        };
    }

    void add(long index, int member) {
        repliers.put(index, member);
    }

    boolean has(long index, int member) {
        Integer last = repliers.get(index);
        return last != null && last == member;
    }
}
