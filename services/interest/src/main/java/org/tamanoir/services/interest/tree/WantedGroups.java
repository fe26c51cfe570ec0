package org.tamanoir.services.interest.tree;

import java.util.BitSet;
import java.util.Set;
import org.tamanoir.interest.wire.TopicGroups;
import org.tamanoir.services.interest.filter.TopicPattern;

/**
 * Of which groups of topics somebody wants events, as far as filters ask for single topics; one that may want any topic wants all groups. That a group is not wanted means
 * that no filter matches any event of it; the other way round it means nothing, for topics share groups.
 */
public final class WantedGroups {
    private final int[] filters = new int[TopicGroups.COUNT];
    private int ofAnyTopic;
    private final BitSet raised = new BitSet(TopicGroups.COUNT);
    private boolean lowered;

    /** A filter is there from now on. */
    void add(Subscription subscription) {
        count(subscription, 1);
    }

    /** It is gone. */
    void remove(Subscription subscription) {
        count(subscription, -1);
    }

    private void count(Subscription subscription, int by) {
        TopicPattern topic = subscription.filter.topic();
        Set<String> topics = !topic.prefix() ? Set.of(topic.base()) : subscription.where == null ? null : subscription.where.topics();
        if (topics == null) {
            ofAnyTopic += by;
            lowered |= ofAnyTopic == 0;
            return;
        }
        for (String each : topics) {
            int group = TopicGroups.of(each);
            filters[group] += by;
            if (filters[group] == 0) {
                lowered = true;
            } else if (filters[group] == by) {
                raised.set(group);
            }
        }
    }

    /** Whether some filter may want events of any topic. */
    public boolean isAnything() {
        return ofAnyTopic > 0;
    }

    /** Whether somebody may want events of this group. */
    public boolean isWanted(int group) {
        return ofAnyTopic > 0 || filters[group] > 0;
    }

    /** Groups that have become wanted since they were {@linkplain #forgetChanges forgotten}. */
    BitSet raised() {
        return raised;
    }

    /** Whether some may be wanted no more since then. */
    boolean isLowered() {
        return lowered;
    }

    void forgetChanges() {
        raised.clear();
        lowered = false;
    }
}
