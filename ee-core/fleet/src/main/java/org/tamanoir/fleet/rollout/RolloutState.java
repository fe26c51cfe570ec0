package org.tamanoir.fleet.rollout;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How far a roll-out is.
 *
 * @param phase  whether it goes on
 * @param ring   that has begun last, from 0
 * @param atOnce whether all nodes are one ring
 * @param before what each node whose part changes had before, by the number of the generation; 0 for nothing
 * @param why    it stopped; null if it has not
 * @param since  it is as it is: by the clock of the server, ISO 8601
 */
public record RolloutState(long generation, Phase phase, int ring, boolean atOnce, Map<String, Long> before, String why, String since) {
    /** Whether it goes on. */
    public enum Phase {
        RUNNING, STOPPED, DONE
    }

    public RolloutState {
        before = Collections.unmodifiableMap(new LinkedHashMap<>(before));
    }

    RolloutState in(Phase next, int begun, String reason, String now) {
        return new RolloutState(generation, next, begun, atOnce, before, reason, now);
    }
}
