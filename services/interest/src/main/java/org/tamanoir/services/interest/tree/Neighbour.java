package org.tamanoir.services.interest.tree;

import java.util.HashMap;
import java.util.Map;

/** A program or a node next to this one in the tree of a space. */
public final class Neighbour {
    private static final long SECOND = 1_000_000_000L;

    /** What it is. */
    public enum Kind {
        PROGRAM, BELOW, ABOVE
    }

    final Kind kind;
    final Sink sink;
    final Map<Integer, Subscription> wants = new HashMap<>();
    /** What is said to it; null for a program, which is said nothing. */
    final CoveringSet told;
    int expressions;
    /** The last event that it has been given. */
    long given = -1;
    /** Nanoseconds that its predicates may still take, and when that was so. */
    private long allowance;
    private long since;

    Neighbour(Kind kind, Sink sink, CoveringSet told) {
        this.kind = kind;
        this.sink = sink;
        this.told = told;
    }

    boolean isNode() {
        return kind != Kind.PROGRAM;
    }

    /** How many filters it wants. */
    public int filters() {
        return wants.size();
    }

    /** How many filters are said to it. */
    public int said() {
        return told == null ? 0 : told.size();
    }

    public Kind kind() {
        return kind;
    }

    /** Its predicates have taken so long. @return whether they may go on: a second's share at once, and the share from then on */
    boolean spend(long nanos, long now, int percent) {
        refill(now, percent);
        allowance -= nanos;
        return allowance >= 0;
    }

    /** Whether they have taken all that they may. */
    boolean isSpent(long now, int percent) {
        refill(now, percent);
        return allowance < 0;
    }

    private void refill(long now, int percent) {
        long most = SECOND * percent / 100;
        allowance = since == 0 ? most : Math.min(most, allowance + (now - since) * percent / 100);
        since = now;
    }
}
