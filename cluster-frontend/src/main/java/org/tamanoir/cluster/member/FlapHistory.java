package org.tamanoir.cluster.member;

import java.util.ArrayDeque;

/** How often one back end goes, and for how long it is held for that. */
final class FlapHistory {
    private final ArrayDeque<Long> goings = new ArrayDeque<>();
    private boolean held;
    private long length;
    private long until;

    /**
     * It goes.
     *
     * @return whether it has gone more often than it may
     */
    boolean gone(Timing timing, long now) {
        goings.addLast(now);
        while (now - goings.peekFirst() > timing.window().toNanos() || goings.size() > timing.flaps() + 1) {
            goings.removeFirst();
        }
        return goings.size() > timing.flaps();
    }

    int count() {
        return goings.size();
    }

    boolean held() {
        return held;
    }

    /** Until when it has to be well; nanoseconds. */
    long until() {
        return until;
    }

    /** How long it has to be well; nanoseconds. */
    long length() {
        return length;
    }

    /** Holds it: twice as long as the last time, unless it was well for long since. */
    void hold(Timing timing, long now) {
        boolean again = length > 0 && now - until <= timing.mostHold().toNanos();
        length = again ? Math.min(2 * length, timing.mostHold().toNanos()) : timing.hold().toNanos();
        held = true;
        until = now + length;
    }

    /** If it is held, the while in which it has to be well begins anew. */
    void restart(long now) {
        until = held ? now + length : until;
    }

    /** Lets it go, with a clean slate for the window. */
    void release(long now) {
        held = false;
        until = now;
        goings.clear();
    }
}
