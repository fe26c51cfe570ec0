package org.tamanoir.node.deploy.tuf;

import java.util.random.RandomGenerator;

/**
 * When a repository is asked for its timestamp: every 2 s, a little more or less, so that the nodes that were started together do not ask
 * together; after a failure later and later, at any time within a bound that doubles (full jitter), so that a repository that comes back is not
 * met by all nodes at once. Times are milliseconds. For one thread.
 */
final class PollTimes {
    private static final long EVERY = 2_000;
    static final long LONGEST = 60_000;
    /** A root may follow without a new timestamp: it is asked for so often. */
    static final long ROOTS_EVERY = 60_000;
    private static final int MOST_DOUBLINGS = 10;

    private final RandomGenerator random;
    private final long every;
    private int failures;
    private long rootsAt;

    PollTimes(RandomGenerator random) {
        this(random, EVERY);
    }

    /** @param every another time than 2 s */
    PollTimes(RandomGenerator random, long every) {
        this.random = random;
        this.every = every;
    }

    /** @return the wait until the next question */
    long succeeded() {
        failures = 0;
        return every * 3 / 4 + random.nextLong(every / 2 + 1);
    }

    /** @return the wait until the next question */
    long failed() {
        long bound = Math.min(LONGEST, every << Math.min(failures, MOST_DOUBLINGS));
        failures++;
        return 1 + random.nextLong(bound);
    }

    /** Whether a new root is to be asked for although the timestamp has not changed. @param now of a clock that does not go back */
    boolean areRootsDue(long now) {
        return failures > 0 || now >= rootsAt;
    }

    void askedForRoots(long now) {
        rootsAt = now + ROOTS_EVERY;
    }
}
