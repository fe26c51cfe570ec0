package org.tamanoir.services.compression;

/**
 * When to try at all. After {@value #PATIENCE} packets in a row that did not shrink, only every second packet is tried, then every
 * fourth, and so on to every {@value #RAREST}th; one that shrinks ends the restraint. So data that does not compress costs a 64th of the
 * work, and data that begins to compress is noticed within {@value #RAREST} packets.
 */
final class SkipRule {
    static final int PATIENCE = 4;
    static final int RAREST = 64;

    private int misses;
    private int every = 1;
    private int untilNext;

    /** Whether to try the packet at hand; call {@link #shrunk} or {@link #missed} after each try. */
    boolean tryThis() {
        if (untilNext > 0) {
            untilNext--;
            return false;
        }
        return true;
    }

    void shrunk() {
        misses = 0;
        every = 1;
    }

    void missed() {
        misses++;
        if (misses >= PATIENCE) {
            every = Math.min(2 * every, RAREST);
            untilNext = every - 1;
        }
    }
}
