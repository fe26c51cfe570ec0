package org.tamanoir.client.resumable;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Lets some legs be opened at a time, and others wait for their turn, when the time begins that a leg may take. When a node dies under a thousand sessions,
 * as many are wanted at once. Any thread.
 */
final class Openings {
    /** At a round trip of 100 ms, and three until a leg stands, 400 a second. */
    private static final int MOST = 128;

    private final Set<Ways.Trip> opening = new HashSet<>();
    private final Set<Ways.Trip> waiting = new LinkedHashSet<>();

    /** Begins the next leg of a session on its loop, now or when others have ended. */
    void enter(Ways.Trip trip) {
        boolean mayBegin;
        synchronized (this) {
            mayBegin = opening.size() < MOST;
            (mayBegin ? opening : waiting).add(trip);
        }
        if (mayBegin) {
            trip.begin();
        }
    }

    /** A leg stands, has failed, or is not wanted any more. Does nothing for one that has not entered. */
    void leave(Ways.Trip trip) {
        Ways.Trip next = null;
        synchronized (this) {
            waiting.remove(trip);
            if (opening.remove(trip) && !waiting.isEmpty()) {
                next = waiting.iterator().next();
                waiting.remove(next);
                opening.add(next);
            }
        }
        if (next != null) {
            next.loop().execute(next::begin);
        }
    }
}
