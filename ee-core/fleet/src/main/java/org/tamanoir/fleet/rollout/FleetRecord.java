package org.tamanoir.fleet.rollout;

import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * All that the server of a fleet must not forget besides the generations themselves. Immutable.
 *
 * @param revision   counts the changes
 * @param generation the newest; 0 for none
 * @param assigned   the generation whose part each node is to have now
 * @param rollout    the last one; null if there was none
 */
public record FleetRecord(long revision, long generation, Map<String, Long> assigned, RolloutState rollout) {
    public static final FleetRecord EMPTY = new FleetRecord(0, 0, Map.of(), null);

    public FleetRecord {
        assigned = Collections.unmodifiableMap(new LinkedHashMap<>(assigned));
    }

    /** The generations without which this says nothing. */
    public Set<Long> needed() {
        Set<Long> needed = new HashSet<>(assigned.values());
        needed.add(generation);
        if (rollout != null) {
            needed.add(rollout.generation());
            needed.addAll(rollout.before().values());
        }
        needed.remove(0L);
        return needed;
    }

    FleetRecord with(Map<String, Long> nowAssigned, RolloutState now) {
        return new FleetRecord(revision + 1, generation, nowAssigned, now);
    }
}
