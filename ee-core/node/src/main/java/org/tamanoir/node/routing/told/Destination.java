package org.tamanoir.node.routing.told;

import java.util.Arrays;
import org.tamanoir.service.rule.Prefix;

/**
 * A prefix at one node: who told of it, the way that is taken, and the least that this node has ever told. The last is the feasibility distance of
 * RFC 8966, section 3.5.1, with the round before the metric: it only ever falls, and a neighbour's way is taken only if it is below.
 */
final class Destination {
    /** No way is taken. */
    static final int NONE = -1;
    /** The node itself delivers. */
    static final int HERE = -2;
    /** The neighbour has to be told what holds now. */
    static final byte DIRTY = 1;
    /** The neighbour may have a way through this node. */
    static final byte HOLDS = 2;

    /** The neighbour waits for the round that was passed on last. */
    static final byte WAITS = 4;

    final Prefix prefix;
    /** Whose limit it counts against; null for the node's own. */
    final Neighbour because;
    boolean own;
    long ownSequence;
    long ownRaisedAt;

    /** The feasibility distance; nothing was told if the round is below 0. */
    long leastSequence = -1;
    int leastMetric = ToldPrefix.UNREACHABLE;

    /** By the slot of the neighbour: what it told last, and flags. */
    private long[] sequences = {};
    private int[] metrics = {};
    private byte[] flags = {};

    int next = NONE;
    long sequence;
    int metric = ToldPrefix.UNREACHABLE;
    /** Since when there is no way. */
    long lostAt;
    /** Until then a neighbour that is away may lead streams of the prefix here. */
    long heldUntil;
    /** When a newer round was wanted, asked for, and handed on. */
    long wantedAt = Long.MIN_VALUE;
    long askedAt = Long.MIN_VALUE;
    long passedAt = Long.MIN_VALUE;
    long passedSequence = -1;

    Destination(Prefix prefix, Neighbour because, long now) {
        this.prefix = prefix;
        this.because = because;
        this.lostAt = now;
        this.heldUntil = now;
    }

    private void reserve(int slot) {
        if (slot >= metrics.length) {
            int old = metrics.length;
            int length = slot + 1 + (slot >> 1);
            sequences = Arrays.copyOf(sequences, length);
            metrics = Arrays.copyOf(metrics, length);
            flags = Arrays.copyOf(flags, length);
            Arrays.fill(metrics, old, length, ToldPrefix.UNREACHABLE);
        }
    }

    void toldBy(int slot, long saidSequence, int saidMetric) {
        reserve(slot);
        sequences[slot] = saidSequence;
        metrics[slot] = saidMetric;
    }

    int metricOf(int slot) {
        return slot < metrics.length ? metrics[slot] : ToldPrefix.UNREACHABLE;
    }

    long sequenceOf(int slot) {
        return slot < sequences.length ? sequences[slot] : -1;
    }

    /** What the slot of a neighbour knows goes; whether it had told a way. */
    boolean forget(int slot) {
        boolean had = metricOf(slot) < ToldPrefix.UNREACHABLE;
        if (slot < metrics.length) {
            metrics[slot] = ToldPrefix.UNREACHABLE;
            flags[slot] = 0;
        }
        return had;
    }

    boolean has(int slot, byte flag) {
        return slot < flags.length && (flags[slot] & flag) != 0;
    }

    void set(int slot, byte flag, boolean on) {
        reserve(slot);
        flags[slot] = (byte) (on ? flags[slot] | flag : flags[slot] & ~flag);
    }

    /** Whether some neighbour may know of a way through this node, or has to be told that there is none. */
    boolean isSaid() {
        for (byte flag : flags) {
            if ((flag & (DIRTY | HOLDS)) != 0) {
                return true;
            }
        }
        return false;
    }

    /** Whether what a neighbour told can be no loop: it is nearer than this node ever was in that round, or of a later round. */
    boolean isFeasible(int slot) {
        long its = sequences[slot];
        return its > leastSequence || its == leastSequence && metrics[slot] < leastMetric;
    }

    /** This node takes a way and so may tell it. */
    void take(int by, long bySequence, int byMetric) {
        next = by;
        sequence = bySequence;
        metric = byMetric;
        if (by != NONE && (bySequence > leastSequence || bySequence == leastSequence && byMetric < leastMetric)) {
            leastSequence = bySequence;
            leastMetric = byMetric;
        }
    }
}
