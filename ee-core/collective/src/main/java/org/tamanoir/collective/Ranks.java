package org.tamanoir.collective;

import java.util.BitSet;
import java.util.stream.IntStream;

/** A set of ranks, 0 to 65,535. Not safe for threads. */
public final class Ranks {
    /** Members that a group may have. */
    public static final int MOST = 1 << 16;

    private final BitSet set;

    private Ranks(BitSet set) {
        this.set = set;
    }

    public static Ranks none() {
        return new Ranks(new BitSet());
    }

    public static Ranks of(int... ranks) {
        Ranks made = none();
        IntStream.of(ranks).forEach(made.set::set);
        return made;
    }

    /** 0 to {@code size} - 1. */
    public static Ranks below(int size) {
        Ranks made = none();
        made.set.set(0, size);
        return made;
    }

    public boolean contains(int rank) {
        return rank >= 0 && set.get(rank);
    }

    public int count() {
        return set.cardinality();
    }

    public boolean isEmpty() {
        return set.isEmpty();
    }

    /** The smallest. @return -1 if there is none */
    public int first() {
        return set.nextSetBit(0);
    }

    /** One more than the largest; 0 if there is none. */
    public int end() {
        return set.length();
    }

    public boolean intersects(Ranks others) {
        return set.intersects(others.set);
    }

    public void add(Ranks others) {
        set.or(others.set);
    }

    public void remove(Ranks others) {
        set.andNot(others.set);
    }

    /** A copy without these. */
    public Ranks without(Ranks others) {
        Ranks made = copy();
        made.remove(others);
        return made;
    }

    /** Those that are in both. */
    public Ranks and(Ranks others) {
        Ranks made = copy();
        made.set.and(others.set);
        return made;
    }

    public Ranks copy() {
        return new Ranks((BitSet) set.clone());
    }

    public IntStream stream() {
        return set.stream();
    }

    /** Bit r % 8 of octet r / 8 is rank r. */
    byte[] octets() {
        return set.toByteArray();
    }

    static Ranks of(byte[] octets) {
        return new Ranks(BitSet.valueOf(octets));
    }

    /** As {@code 0-3, 7}; of many the first. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int from = set.nextSetBit(0); from >= 0; ) {
            int to = set.nextClearBit(from) - 1;
            if (text.length() > 100) {
                return text.append(", …").toString();
            }
            text.append(text.length() == 0 ? "" : ", ").append(from).append(to > from ? "-" + to : "");
            from = set.nextSetBit(to + 1);
        }
        return text.toString();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Ranks ranks && ranks.set.equals(set);
    }

    @Override
    public int hashCode() {
        return set.hashCode();
    }
}
