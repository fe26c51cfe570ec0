package org.tamanoir.transfer.plan;

/**
 * How many streams a copy uses at a time: one more as long as that pays, one less when it did not (hill climbing on the throughput, as E. Yildirim, D. Yin and
 * T. Kosar, "Prediction of optimal parallelism level in wide area data transfers", 2011, find to suffice). Streams are not free: each takes its share of a
 * bottleneck from what others send there, so a gain must be worth it.
 */
public final class StreamCount {
    /** What one stream more must gain, as a part of what n streams would gain in proportion, 1/n. */
    private static final double WORTH = 0.5;
    /** Rounds to rest after a step that did not pay, doubled each time. */
    private static final int REST = 4;
    private static final int LONGEST_REST = 64;

    private final int most;
    private int count;
    private double before;
    private boolean grown;
    private int rest;
    private int nextRest = REST;

    /**
     * @param first to begin with, at least 1
     * @param most never more
     */
    public StreamCount(int first, int most) {
        this.most = most;
        this.count = Math.max(1, Math.min(first, most));
    }

    /** A round is over. @param rate octets a second in it, all streams together @return how many streams the next one shall use */
    public int round(double rate) {
        if (grown && rate < before * (1 + WORTH / (count - 1))) {
            count--;
            grown = false;
            rest = nextRest;
            nextRest = Math.min(LONGEST_REST, 2 * nextRest);
        } else if (rest > 0) {
            grown = false;
            rest--;
        } else {
            grown = count < most;
            count += grown ? 1 : 0;
        }
        before = rate;
        return count;
    }

    public int count() {
        return count;
    }
}
