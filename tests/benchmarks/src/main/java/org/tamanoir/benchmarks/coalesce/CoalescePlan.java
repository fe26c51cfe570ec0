package org.tamanoir.benchmarks.coalesce;

import java.time.Duration;

/**
 * What is measured.
 *
 * @param rounds  of each figure; the result is the median
 * @param seconds of a run that counts
 * @param limit   packets a second that the link carries
 * @param high    datagrams a second of the faster stream whose times are taken
 */
public record CoalescePlan(int rounds, int seconds, int limit, int high) {
    /** Header, options and a payload of eight octets: the least that the load has. */
    static final int OCTETS = 64;
    /** Datagrams a second of the slower stream: each finds the way quiet. */
    static final int LOW = 100;

    /** @throws IllegalArgumentException if it cannot be run; the message says why */
    public void check() {
        if (rounds < 1 || rounds > 50 || seconds < 1 || seconds > 60) {
            throw new IllegalArgumentException("1 to 50 rounds, of 1 to 60 seconds");
        }
        if (limit < 100 || limit > 20_000) {
            throw new IllegalArgumentException("a link of 100 to 20000 packets a second");
        }
        if (high < 1_000 || high > 50_000) {
            throw new IllegalArgumentException("a stream of 1000 to 50000 datagrams a second");
        }
    }

    Duration run() {
        return Duration.ofSeconds(seconds);
    }
}
