package org.tamanoir.services.interest.tree;

/**
 * What is bounded in one space of one node.
 *
 * @param ofOne       filters of one program
 * @param ofAll       filters of all programs of the node
 * @param expressions filters with a predicate, of one program
 * @param told        filters that are said to another node; more are merged
 * @param share       percent of a core that the predicates of one program may take, and its changes
 * @param held        octets that all filters may take, about
 */
public record Limits(int ofOne, int ofAll, int expressions, int told, int share, long held) {
    /** The most that {@link #told} and {@link #ofOne} can be. */
    public static final int MOST = 10_000;
    /** Filters that another node may want: what is new is said before what is gone. */
    static final int OF_NODE = 2 * MOST;
    /** Topics of which decimated filters remember when the last event went, in all. Beyond that events go at once. */
    static final int TOPICS = 65_536;
    /** Octets of events that wait for the time of decimated filters, in all. Beyond that events go at once. */
    static final int WAITING = 4 << 20;
}
