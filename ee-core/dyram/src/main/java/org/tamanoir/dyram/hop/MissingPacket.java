package org.tamanoir.dyram.hop;

import java.util.Arrays;
import java.util.BitSet;

/** A packet that some link misses: who does, who was asked, and what is waited for. */
final class MissingPacket {
    /** What is waited for. */
    enum Phase {
        /** For the packet itself, which others may have overtaken. */
        DETECTED,
        /** For more links to say that they miss it: the delay to decide. */
        DECIDING,
        /** For the elected link. */
        ASKED,
        /** For above. */
        ABOVE,
        /** For late requests of those who were just served: they crossed the repair. */
        SERVED,
        /** Freed. */
        OVER
    }

    final long index;
    /** Links that miss it; in {@link Phase#SERVED} those that were served. */
    final BitSet lacking = new BitSet();
    /** Links that repairs went to, and when, by slot. */
    final BitSet served = new BitSet();
    long[] servedAt = {};
    /** Links that were elected, the one that is asked now too. */
    final BitSet asked = new BitSet();
    /** Elections so far. */
    int rounds;
    /** When the last one was. */
    long askedAt;
    Phase phase;
    /** Above wants it from here. */
    boolean wantedAbove;
    int elected = -1;
    /** The first that was elected, and when: how long its answer takes is measured. */
    int firstElected = -1;
    long firstAskedAt;
    /** When above was asked first. */
    long askedAboveAt;
    int rank;
    /** How often above was asked since it last answered. */
    int asks;
    long since;
    long deadline = Long.MAX_VALUE;

    MissingPacket(long index, Phase phase, long now) {
        this.index = index;
        this.phase = phase;
        this.since = now;
    }

    /** A repair goes to all that lack it. */
    void servedNow(long now) {
        served.or(lacking);
        if (servedAt.length < lacking.length()) {
            servedAt = Arrays.copyOf(servedAt, lacking.length());
        }
        for (int slot = lacking.nextSetBit(0); slot >= 0; slot = lacking.nextSetBit(slot + 1)) {
            servedAt[slot] = now;
        }
    }

    /** Whoever was asked before may be asked again. */
    void electAnew() {
        asked.clear();
        firstElected = -1;
        rounds = 0;
    }
}
