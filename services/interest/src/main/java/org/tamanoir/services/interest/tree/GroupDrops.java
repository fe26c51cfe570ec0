package org.tamanoir.services.interest.tree;

import java.util.BitSet;
import org.tamanoir.interest.wire.TopicGroups;

/**
 * Which groups of topics are dropped below the service: at any time some of those that nobody wants, and never one that somebody wants. A drop is lifted in the turn in
 * which its group becomes wanted, before anybody is told that a filter is in force. Drops are put, and put back, a while after the last change, for filters come and go
 * together.
 */
public final class GroupDrops {
    /** From the first change to the drops that follow from it: so no more than this often are as many put as there are groups. */
    static final long PAUSE = 1_000_000_000L;
    /** When there was no room for them. */
    static final long LONG_PAUSE = 60 * PAUSE;

    private final WantedGroups wanted;
    private final Rules rules;
    private final BitSet dropped = new BitSet(TopicGroups.COUNT);
    private boolean possible;
    private long due = Long.MAX_VALUE;

    /** What drops. */
    public interface Rules {
        /** Events of this group are dropped from now on. @return false if there is no room for this: then nothing is dropped */
        boolean drop(int group);

        /** They are dropped no more, when this returns. */
        void lift(int group);
    }

    public GroupDrops(WantedGroups wanted, Rules rules) {
        this.wanted = wanted;
        this.rules = rules;
    }

    /**
     * Lifts what is wanted by now. To be called after anything has changed, and before anybody is told.
     *
     * @param may whether all that is wanted is known here, and there is anything to be dropped; if not, nothing is
     */
    public void lift(long now, boolean may) {
        if (!may || wanted.isAnything()) {
            liftAll();
        } else {
            BitSet raised = wanted.raised();
            for (int group = raised.nextSetBit(0); group >= 0; group = raised.nextSetBit(group + 1)) {
                if (dropped.get(group)) {
                    dropped.clear(group);
                    rules.lift(group);
                }
            }
        }
        if (may && due == Long.MAX_VALUE && (wanted.isLowered() || !possible)) {
            due = now + PAUSE;
        }
        possible = may;
        wanted.forgetChanges();
    }

    private void liftAll() {
        for (int group = dropped.nextSetBit(0); group >= 0; group = dropped.nextSetBit(group + 1)) {
            rules.lift(group);
        }
        dropped.clear();
    }

    /** Drops what nobody wants, if it is time. */
    public void tick(long now) {
        if (due == Long.MAX_VALUE || due - now > 0) {
            return;
        }
        due = Long.MAX_VALUE;
        if (!possible) {
            return;
        }
        for (int group = 0; group < TopicGroups.COUNT; group++) {
            if (!wanted.isWanted(group) && !dropped.get(group)) {
                if (!rules.drop(group)) {
                    liftAll();
                    due = now + LONG_PAUSE;
                    return;
                }
                dropped.set(group);
            }
        }
    }

    /** Lifts all; those that nobody wants are put again. */
    public void restart(long now) {
        liftAll();
        if (possible) {
            due = now + PAUSE;
        }
    }

    /** When {@link #tick} has something to do, or {@code Long.MAX_VALUE}. */
    public long due() {
        return due;
    }

    /** How many groups are dropped. */
    public int size() {
        return dropped.cardinality();
    }

    /** Whether a group is dropped. */
    public boolean isDropped(int group) {
        return dropped.get(group);
    }
}
