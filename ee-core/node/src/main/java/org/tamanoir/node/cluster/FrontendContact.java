package org.tamanoir.node.cluster;

import java.util.function.DoubleSupplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.membership.Report.State;
import org.tamanoir.membership.Welcome;
import org.tamanoir.membership.Welcome.Standing;

/**
 * What is known of one front-end, and when it is to hear of the back end next: once a period while it answers, at the same moments as the others that have
 * its period, so that all hear the same reports; and after a pause that doubles from {@link #FIRST_PAUSE_NANOS} to {@link #MOST_PAUSE_NANOS} while it does
 * not. No I/O; times are those of one clock in nanoseconds. Any thread.
 */
final class FrontendContact {
    /** Before a front-end has said otherwise. */
    static final long FIRST_PERIOD_NANOS = 1_000_000_000;
    static final long FIRST_PAUSE_NANOS = 250_000_000;
    /** Shorter than the lease of three periods, so that a front-end that is back hears of everybody before it gives anybody up. */
    static final long MOST_PAUSE_NANOS = 2_000_000_000;
    /** A pause is shortened by up to that part of itself: back ends do not all come at once to a front-end that is back. */
    private static final double SPREAD = 0.25;

    /**
     * How it stands.
     *
     * @param welcome    what it has answered last; null if it has never answered
     * @param failure    why the last report was not taken; null if it was
     * @param sinceNanos when this began: that it answers with this standing, or fails with this code
     * @param taken      reports that it has taken
     * @param failed     reports that it has not
     */
    record View(Welcome welcome, AnepException failure, long sinceNanos, long taken, long failed) {
        Standing standing() {
            return failure == null && welcome != null ? welcome.standing() : null;
        }
    }

    private final DoubleSupplier random;
    private Welcome welcome;
    private State told;
    private AnepException failure;
    private long since;
    private long due;
    private long pause;
    private long taken;
    private long failed;

    /** @param random from 0 to 1 */
    FrontendContact(long now, DoubleSupplier random) {
        this.random = random;
        this.since = now;
        this.due = now;
    }

    /** How long to wait before the next report; 0 or less if it is due. */
    synchronized long waitNanos(long now) {
        return due - now;
    }

    /** The next report is due at once. */
    synchronized void hurry(long now) {
        due = Math.min(due, now);
    }

    /**
     * It has taken a report.
     *
     * @param state that the report said
     * @param began when it was sent: the next is due about a period later, at a multiple of the period, however long the answer took
     * @return whether it stands otherwise than before
     */
    synchronized boolean answered(Welcome answer, State state, long began, long now) {
        boolean changed = failure != null || welcome == null || welcome.standing() != answer.standing();
        since = changed ? now : since;
        welcome = answer;
        told = state;
        failure = null;
        pause = 0;
        taken++;
        long period = answer.periodMillis() * 1_000_000;
        long next = began + period + period / 2;
        due = Math.max(now, next - Math.floorMod(next, period));
        return changed;
    }

    /**
     * It has not taken a report, or has not answered.
     *
     * @return whether that is new, or has another code than before
     */
    synchronized boolean failed(AnepException why, long now) {
        boolean changed = failure == null || failure.code() != why.code();
        since = changed ? now : since;
        failure = why;
        failed++;
        pause = pause == 0 ? FIRST_PAUSE_NANOS : Math.min(MOST_PAUSE_NANOS, 2 * pause);
        due = now + (long) (pause * (1 - SPREAD * random.getAsDouble()));
        return changed;
    }

    /** Whether it knows that the back end leaves: it has taken a report that said so, and the last report of all. */
    synchronized boolean knowsLeaving() {
        return failure == null && told == State.LEAVING;
    }

    /** Whether it has answered the last report. */
    synchronized boolean answers() {
        return failure == null && welcome != null;
    }

    /** How often it wants to hear. */
    synchronized long periodNanos() {
        return welcome == null ? FIRST_PERIOD_NANOS : welcome.periodMillis() * 1_000_000;
    }

    synchronized View view() {
        return new View(welcome, failure, since, taken, failed);
    }
}
