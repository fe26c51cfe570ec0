package org.tamanoir.cluster.ipvs;

import java.time.Duration;
import org.tamanoir.anep.AnepException;

/**
 * How keepalived checks back ends: {@code GET /health}, 200 while they serve.
 *
 * @param period  from one check to the next, 50 ms to 60 s
 * @param timeout for connecting and for the answer, 50 ms to 60 s
 * @param retries checks that must fail after the first one that did, before a back end counts as dead, 0 to 100
 * @param pause   before such another check, 10 ms to 60 s
 */
public record CheckerSettings(Duration period, Duration timeout, int retries, Duration pause) {
    /** A back end that refuses is out after 0.2 to 0.7 s, one that is silent after at most 1.7 s. */
    public static final CheckerSettings DEFAULT = new CheckerSettings(Duration.ofMillis(500), Duration.ofMillis(500), 1, Duration.ofMillis(200));

    /** @throws AnepException EE-905 */
    public CheckerSettings {
        between(period, 50, "the period of checks");
        between(timeout, 50, "the time of a check");
        SafeWords.number(retries, 0, 100, "the number of checks that must fail again");
        between(pause, 10, "the pause before another check");
    }

    /** The longest from a death to its notice. */
    Duration longest() {
        return period.plus(timeout).plus(timeout.plus(pause).multipliedBy(retries));
    }

    private static void between(Duration time, int least, String what) {
        SafeWords.number((int) Math.min(time.toMillis(), Integer.MAX_VALUE), least, 60_000, what + ", in milliseconds,");
    }
}
