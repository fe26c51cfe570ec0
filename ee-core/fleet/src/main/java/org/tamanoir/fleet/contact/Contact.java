package org.tamanoir.fleet.contact;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * When a node asks the server of its fleet next. While that answers, once a period, a fifth more or less: nodes that were started together soon ask one after
 * another. While it does not, after a pause that is drawn from nothing to a bound which doubles from {@link #FIRST} to {@link #MOST} (full jitter): nodes that
 * have lost it at once do not come back at once. No I/O; times are milliseconds of one clock that does not go back. One thread.
 */
public final class Contact {
    /** The bound of the first pause, and what a node that was just started waits at most. */
    public static final Duration FIRST = Duration.ofSeconds(1);
    /** The bound of the longest one. */
    public static final Duration MOST = Duration.ofSeconds(30);
    private static final double SPREAD = 0.2;
    private static final int MOST_DOUBLINGS = 16;

    private final RandomGenerator random;
    private long period;
    private long due;
    private int failures;

    /** @param random what decides between nodes that are alike: each needs another one */
    public Contact(long now, Duration period, RandomGenerator random) {
        this.random = random;
        this.period = period.toMillis();
        this.due = now + drawn(FIRST.toMillis());
    }

    private long drawn(long bound) {
        return (long) (random.nextDouble() * bound);
    }

    /** How long to wait; 0 or less if it is due. */
    public long waitMillis(long now) {
        return due - now;
    }

    /** The server wants to be asked that often, and the next time no later than that. */
    public void period(long now, Duration wanted) {
        period = wanted.toMillis();
        due = Math.min(due, now + next());
    }

    private long next() {
        return (long) (period * (1 - SPREAD + 2 * SPREAD * random.nextDouble()));
    }

    /** Asks at once. */
    public void hurry(long now) {
        due = Math.min(due, now);
    }

    /** The server has answered, whatever it said. @return whether it had not before */
    public boolean answered(long now) {
        boolean back = failures > 0;
        failures = 0;
        due = now + next();
        return back;
    }

    /** The server has not answered. @return whether it had before */
    public boolean failed(long now) {
        long bound = Math.min(MOST.toMillis(), FIRST.toMillis() << Math.min(failures, MOST_DOUBLINGS));
        failures++;
        due = now + drawn(bound);
        return failures == 1;
    }

    /** Questions without an answer since the last one. */
    public int failures() {
        return failures;
    }
}
