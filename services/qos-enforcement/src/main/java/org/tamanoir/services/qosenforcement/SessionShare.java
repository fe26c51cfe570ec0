package org.tamanoir.services.qosenforcement;

import org.tamanoir.service.rule.Colour;
import org.tamanoir.service.rule.Marker;
import org.tamanoir.service.rule.Meter;
import org.tamanoir.services.qosenforcement.FlowConditioner.Conformance;

/**
 * What one session may send, metered: all its streams share it. A session that has no share, or one of another class than its order says, is metered by
 * its order and has nothing of its own. Safe for all threads.
 */
final class SessionShare {
    private ClassShare granted;
    private long rate;
    private Profile profile;
    private Meter meter;
    private Marker marker;

    /** The class that it has a share of; null for none. */
    synchronized ClassShare granted() {
        return granted;
    }

    synchronized long rate() {
        return rate;
    }

    /** It has this share from now on; none for null. */
    synchronized void grant(ClassShare share, long octetsPerSecond, long nanos) {
        granted = share;
        rate = octetsPerSecond;
        meter(nanos);
    }

    /** Streams of the session have an order; its rate is 1 or more. */
    synchronized void order(Profile next, long nanos) {
        profile = next;
        meter(nanos);
    }

    private void meter(long nanos) {
        if (profile == null) {
            return;
        }
        // Also if the newest order is for another class: streams with an older one send in the class of the share.
        Meter next = profile.meter(granted != null && rate > 0 ? Math.min(rate, profile.rate()) : profile.rate());
        if (marker == null) {
            marker = Marker.of(next);
        } else if (!next.equals(meter)) {
            marker = marker.change(nanos, next);
        }
        meter = next;
    }

    /** Whether it has a share of a class. */
    synchronized boolean isOwn(String className) {
        return granted != null && rate > 0 && granted.name().equals(className);
    }

    /** Meters a packet. What it is comes with the meter: streams of a session may have orders of different age. */
    synchronized Conformance conformance(int octets, long nanos) {
        return Conformance.of(meter, marker.colour(nanos, octets, Colour.GREEN));
    }

    /** Takes the tokens of a packet if it is green; if it is not, nothing is taken. */
    synchronized boolean takeGreen(int octets, long nanos) {
        return marker.greenAt(nanos, octets) == nanos && marker.colour(nanos, octets, Colour.GREEN) == Colour.GREEN;
    }

    synchronized long greenAt(int octets, long nanos) {
        return marker.greenAt(nanos, octets);
    }
}
