package org.tamanoir.transfer.plan;

/**
 * How many streams a copy uses at a time. It begins with the most, since a copy is often over in seconds, and then tries one less, again and again, as long as
 * fewer carry what the most did (hill climbing on the throughput, as E. Yildirim, D. Yin and T. Kosar, "Prediction of optimal parallelism level in wide area data
 * transfers", 2011, find to suffice). Streams are not free: each takes its share of a bottleneck from what others send there. When fewer carry less than they
 * did, because the way has changed, it is one more again.
 */
public final class StreamCount {
    /** Of what the most streams carry: what fewer have to carry. */
    private static final double ENOUGH = 0.98;
    /** Rounds to rest before one less is tried: after one that was enough, and after one that was not, doubled each time. */
    private static final int SHORT_REST = 1;
    private static final int REST = 4;
    private static final int LONGEST_REST = 64;

    /** Rounds in which windows open, and figures only grow. */
    private static final int OPENING = 2;

    private final int most;
    private int count;
    private int rounds;
    /** What the most streams carry. */
    private double full;
    /** What as many as now carry. */
    private double average;
    private boolean trying;
    private int rest = REST;
    private int nextRest = REST;

    /** @param most never more; at least 1 */
    public StreamCount(int most) {
        this.most = most;
        this.count = most;
    }

    /** A round is over. @param rate octets a second in it, all streams together @return how many streams the next one shall use */
    public int round(double rate) {
        boolean tried = trying;
        trying = false;
        average = tried ? rate : Throughput.mixed(average, rate);
        if (count == most) {
            full = rounds++ < OPENING ? rate : Throughput.mixed(full, rate);
        } else if (average < ENOUGH * full) {
            count++;
            average = full;
            rest = nextRest;
            nextRest = Math.min(LONGEST_REST, 2 * nextRest);
            return count;
        }
        if (tried) {
            rest = SHORT_REST;
            nextRest = REST;
        } else if (rest > 0) {
            rest--;
        } else if (count > 1) {
            trying = true;
            count--;
        }
        return count;
    }

    public int count() {
        return count;
    }
}
