package org.tamanoir.dyram.receiver;

import java.util.BitSet;

/** Which packets are there: a bit each. */
public final class PacketSet {
    private static final int CHUNK_BITS = 1 << 20;

    private final long size;
    private final BitSet[] chunks;
    private long count;
    private long firstMissing;

    /** @param size packets that there can be, 0 to 2^40 */
    public PacketSet(long size) {
        this.size = size;
        this.chunks = new BitSet[Math.toIntExact((size + CHUNK_BITS - 1) / CHUNK_BITS)];
    }

    /** @return whether it was not there before */
    public boolean add(long index) {
        if (contains(index)) {
            return false;
        }
        int chunk = (int) (index / CHUNK_BITS);
        if (chunks[chunk] == null) {
            chunks[chunk] = new BitSet();
        }
        chunks[chunk].set((int) (index % CHUNK_BITS));
        count++;
        return true;
    }

    public boolean contains(long index) {
        if (index < 0 || index >= size) {
            throw new IndexOutOfBoundsException("packet " + index + " of " + size);
        }
        BitSet chunk = chunks[(int) (index / CHUNK_BITS)];
        return chunk != null && chunk.get((int) (index % CHUNK_BITS));
    }

    /** How many are there. */
    public long count() {
        return count;
    }

    public long size() {
        return size;
    }

    public boolean isComplete() {
        return count == size;
    }

    /** The first that is not there; {@link #size} if none is missing. */
    public long firstMissing() {
        firstMissing = nextMissing(firstMissing);
        return firstMissing;
    }

    /** The first at or after an index that is there; {@link #size} if none is. */
    public long nextPresent(long from) {
        long index = from;
        while (index < size) {
            BitSet chunk = chunks[(int) (index / CHUNK_BITS)];
            long base = index / CHUNK_BITS * CHUNK_BITS;
            int set = chunk == null ? -1 : chunk.nextSetBit((int) (index - base));
            if (set >= 0) {
                return base + set;
            }
            index = base + CHUNK_BITS;
        }
        return size;
    }

    /** The first at or after an index that is not there; {@link #size} if none is missing. */
    public long nextMissing(long from) {
        long index = from;
        while (index < size) {
            BitSet chunk = chunks[(int) (index / CHUNK_BITS)];
            if (chunk == null) {
                return index;
            }
            long base = index / CHUNK_BITS * CHUNK_BITS;
            int clear = chunk.nextClearBit((int) (index - base));
            if (clear < CHUNK_BITS) {
                return Math.min(size, base + clear);
            }
            index = base + CHUNK_BITS;
        }
        return size;
    }
}
