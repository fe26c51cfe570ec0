package org.tamanoir.services.interest.filter;

import java.util.Objects;

/**
 * What somebody wants.
 *
 * @param topic  of these topics
 * @param where  of which this is true; null for all
 * @param region in this region; null for everywhere, also without a position
 * @param every  of each topic no more than the latest each so many milliseconds; 0 for each event
 */
public record Filter(TopicPattern topic, Predicate where, Region region, int every) {
    /** Longest time of {@link #every}: an hour. */
    public static final int MOST_EVERY = 3_600_000;

    private static final int WEIGHT = 512;
    private static final int WEIGHT_OF_CORNER = 100;

    /** All events of these topics. */
    public static Filter of(String topic) {
        return new Filter(TopicPattern.of(topic), null, null, 0);
    }

    /** Octets that it takes, about, without its predicate. */
    public int weight() {
        return WEIGHT + (region == null || region.isBox() ? 0 : WEIGHT_OF_CORNER * region.corners().length);
    }

    /** One that covers this and takes little. */
    public Filter coarser() {
        return new Filter(topic, null, region == null ? null : region.boxWith(region), 0);
    }

    /**
     * Whether whoever gets what this one wants gets all that the other wants too. May say no where it is so. One that leaves out covers only what wants the same events
     * no more often: leaving out first and choosing afterwards would lose what was chosen.
     */
    public boolean covers(Filter other) {
        if (!topic.covers(other.topic)) {
            return false;
        }
        if (every > 0) {
            return other.every >= every && Objects.equals(where, other.where) && Objects.equals(region, other.region);
        }
        return (where == null || where.equals(other.where)) && (region == null || other.region != null && region.covers(other.region));
    }
}
