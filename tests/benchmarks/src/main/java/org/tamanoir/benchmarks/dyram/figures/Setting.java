package org.tamanoir.benchmarks.dyram.figures;

import java.time.Duration;

/**
 * One simulated session.
 *
 * @param groups    sites
 * @param hosts     receivers of each
 * @param loss      the part of packets that a receiver does not get with their first transmission, 0 to 1
 * @param split     where the delay is
 * @param roundTrip from the source to a receiver and back
 * @param services  of the nodes
 * @param decide    the least delay to decide
 * @param lost      which messages are lost
 * @param packets   to send
 */
record Setting(int groups, int hosts, double loss, Split split, Duration roundTrip, Services services, Duration decide, Lost lost,
               int packets) {
    /** Nanoseconds between packets: short, since it is the next packet that shows a gap. */
    static final long INTERVAL = 1_000_000;
    /** Receivers find a gap with the next packet that they get: a node waits for some. */
    static final Duration DECIDE = Duration.ofNanos(3 * INTERVAL);

    /** What the lossy links lose. */
    enum Lost {
        /** Packets of content, first transmissions and repairs, on their way away from the source. */
        DATA,
        /** Every message on its way away from the source: requests to repliers and what nodes tell receivers, too. */
        EVERYTHING
    }

    int receivers() {
        return groups * hosts;
    }

    /** Loss of the source's link and of each tail: both together make {@link #loss}. The backbone loses nothing. */
    double linkLoss() {
        return linkLoss(loss);
    }

    static double linkLoss(double loss) {
        return 1 - Math.sqrt(1 - loss);
    }
}
