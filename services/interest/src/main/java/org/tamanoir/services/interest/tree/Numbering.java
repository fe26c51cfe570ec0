package org.tamanoir.services.interest.tree;

import java.util.Arrays;
import org.tamanoir.interest.wire.TopicGroups;

/** The numbers of the events of one publisher over UDP, those of each group apart: what was lost, and what comes late or twice. */
public final class Numbering {
    /** Where those are counted whose datagrams name no group. */
    public static final int NO_GROUP = TopicGroups.COUNT;
    /** A gap that is longer was no loss. */
    static final long LONGEST_GAP = 1_000_000;
    private static final long UNKNOWN = -1;

    private final long[] next = new long[TopicGroups.COUNT + 1];

    public Numbering() {
        Arrays.fill(next, UNKNOWN);
    }

    /** Whether events of that number, or later ones, have come before. */
    public boolean isLate(int group, long number) {
        return number < next[group];
    }

    /** So many have come that are not late, from that number on. @return how many are missing in front of them */
    public long came(int group, long number, int events) {
        long missing = next[group] == UNKNOWN ? 0 : number - next[group];
        next[group] = number + events;
        return missing > LONGEST_GAP ? 0 : missing;
    }

    /** Those of a group are or were dropped below: what is missing there says nothing. */
    public void forget(int group) {
        next[group] = UNKNOWN;
    }
}
