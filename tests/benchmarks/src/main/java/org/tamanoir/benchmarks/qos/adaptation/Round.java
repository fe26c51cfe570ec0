package org.tamanoir.benchmarks.qos.adaptation;

import java.util.List;
import org.tamanoir.benchmarks.qos.edge.CodePoints.Change;
import org.tamanoir.benchmarks.qos.edge.SessionTrips.Trip;

/**
 * One flood and what the flow did.
 *
 * @param periodMillis of monitoring and of choices
 * @param begin        when the first packet of the flood had crossed the bottleneck; {@link System#nanoTime}
 * @param end          when the last one had
 * @param changes      of the code point of the flow's packets behind the bottleneck, from its code point before
 * @param trips        of the flow, from a while before the flood to its return
 * @param shownBetter  when the node was first seen to say that the flow is in another class than best effort; polled
 * @param shownBack    when it was first seen to say that it is in best effort again
 */
record Round(long periodMillis, long begin, long end, List<Change> changes, List<Trip> trips, long shownBetter, long shownBack) {
    private static final double NANOS_OF_MILLI = 1e6;

    /** Milliseconds from the first packet of the flood to the first packet of the flow with another code point. */
    double better() {
        return millis(begin, changes.stream().filter(each -> each.codePoint() != 0 && each.at() - begin >= 0).mapToLong(Change::at).findFirst());
    }

    /** Milliseconds from the last packet of the flood to the packet from which on the flow was best effort again. */
    double back() {
        Change last = changes.get(changes.size() - 1);
        return last.codePoint() == 0 && last.at() - end >= 0 ? (last.at() - end) / NANOS_OF_MILLI : Double.POSITIVE_INFINITY;
    }

    double shownBetterMillis() {
        return (shownBetter - begin) / NANOS_OF_MILLI;
    }

    double shownBackMillis() {
        return (shownBack - end) / NANOS_OF_MILLI;
    }

    /** Changes of the code point: two are one way and the other. */
    int count() {
        return changes.size() - 1;
    }

    private static double millis(long from, java.util.OptionalLong to) {
        return to.isEmpty() ? Double.POSITIVE_INFINITY : (to.getAsLong() - from) / NANOS_OF_MILLI;
    }
}
