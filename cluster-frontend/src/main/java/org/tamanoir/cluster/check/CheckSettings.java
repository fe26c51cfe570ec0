package org.tamanoir.cluster.check;

import java.time.Duration;

/**
 * How back ends are checked.
 *
 * @param period  from one check to the next, at most; a tenth less by chance, so that checks of many do not stay together
 * @param timeout for the whole of a check
 * @param quick   to the next check where one has failed at once or the state is not known yet
 * @param fall    failures in a row until a back end is down; a refused connection is enough by itself
 * @param rise    successes in a row until it is up
 */
public record CheckSettings(Duration period, Duration timeout, Duration quick, int fall, int rise) {
    /** Silence is noticed within 1.5 s of its beginning: half a second to the next check, and two of its time-outs. */
    public static final CheckSettings DEFAULT = new CheckSettings(Duration.ofMillis(500), Duration.ofMillis(500), Duration.ofMillis(100), 2, 2);
}
