package org.tamanoir.dyram.hop;

import java.util.Map;
import org.tamanoir.anep.BoundedMap;

/** Who has repaired which packet of late: a blame counts only for what was really sent. */
final class RecentRepairs {
    private final Map<Long, Integer> repliers;

    RecentRepairs(int most) {
        repliers = BoundedMap.byAge(most);
    }

    void add(long index, int member) {
        repliers.put(index, member);
    }

    boolean has(long index, int member) {
        Integer last = repliers.get(index);
        return last != null && last == member;
    }
}
