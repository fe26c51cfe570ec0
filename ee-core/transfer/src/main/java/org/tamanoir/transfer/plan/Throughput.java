package org.tamanoir.transfer.plan;

/** What all streams of a copy carry together, and whether that is less than it was while each of them had work. */
final class Throughput {
    private static final long INTERVAL = 250_000_000;
    /** Of what they carried: what they carry at least while the way is full. */
    private static final double FULL = 0.8;
    /** Of a new figure in an average. */
    private static final double FRESH = 0.3;

    private long since;
    private long before;
    /** Octets a nanosecond while all had work; 0 while that is not known. */
    private double usual;
    private boolean spare = true;

    /**
     * @param now nanoseconds
     * @param moved octets that have gone over so far
     * @param busy whether there is work for all
     * @return whether there is room for more than goes over now; true while nothing is known
     */
    boolean hasSpare(long now, long moved, boolean busy) {
        if (since == 0) {
            since = now;
            before = moved;
        } else if (now - since >= INTERVAL) {
            double rate = (moved - before) / (double) (now - since);
            if (busy) {
                usual = mixed(usual, rate);
            }
            spare = rate < FULL * usual || usual == 0;
            since = now;
            before = moved;
        }
        return spare;
    }

    /** Octets a second while all had work; 0 while that is not known. */
    double inSecond() {
        return usual * 1e9;
    }

    /** An average into which new figures go. The first counts whole. */
    static double mixed(double average, double fresh) {
        return average == 0 ? fresh : average + FRESH * (fresh - average);
    }
}
