package org.tamanoir.benchmarks.cluster;

import java.time.Duration;

/**
 * What all parts are told.
 *
 * @param rounds  of scaling, each with every case and every number of back ends; of failures, each with every kind
 * @param seconds that a run of scaling counts
 * @param streams of scaling at once, for each back end that serves
 */
public record ClusterPlan(int rounds, double seconds, int streams) {
    public static final int ROUNDS = 3;
    public static final double SECONDS = 4;
    public static final int STREAMS = 8;
    public static final ClusterPlan QUICK = new ClusterPlan(1, 2, STREAMS);

    /** @throws IllegalArgumentException if it cannot be run; the message says why */
    public void check() {
        if (rounds < 1 || rounds > 50) {
            throw new IllegalArgumentException("1 to 50 rounds");
        }
        if (!(seconds >= 1 && seconds <= 60)) {
            throw new IllegalArgumentException("a run counts 1 to 60 seconds");
        }
        if (streams < 2 || streams > 40) {
            throw new IllegalArgumentException("2 to 40 streams for each back end");
        }
    }

    public Duration run() {
        return Duration.ofMillis(Math.round(1000 * seconds));
    }
}
