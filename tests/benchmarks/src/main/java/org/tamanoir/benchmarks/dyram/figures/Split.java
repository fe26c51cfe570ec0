package org.tamanoir.benchmarks.dyram.figures;

import java.time.Duration;
import java.util.List;

/**
 * How the way from the source to a receiver divides into its three links, in round trips from end to end: the three make half a round trip.
 *
 * @param name   in tables
 * @param source from the source to its node
 * @param core   across the backbone
 * @param tail   from a site's node to a receiver
 */
record Split(String name, double source, double core, double tail) {
    static final Split SHORT_ACCESS = new Split(".02/.46/.02", 0.02, 0.46, 0.02);
    static final Split MEDIUM_ACCESS = new Split(".1/.3/.1", 0.1, 0.3, 0.1);
    static final Split EQUAL = new Split("thirds", 1 / 6.0, 1 / 6.0, 1 / 6.0);
    static final List<Split> ALL = List.of(SHORT_ACCESS, MEDIUM_ACCESS, EQUAL);

    /** Nanoseconds of a part of a round trip. */
    static long nanos(double roundTrips, Duration roundTrip) {
        return Math.round(roundTrips * roundTrip.toNanos());
    }
}
