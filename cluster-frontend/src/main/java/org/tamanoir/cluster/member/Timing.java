package org.tamanoir.cluster.member;

import java.time.Duration;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.membership.WelcomeReader;

/**
 * How long things last between a front-end and its back ends.
 *
 * @param period   between two reports of a back end
 * @param lease    after so long without a report a back end is out; more than the period
 * @param drain    how long a back end that leaves keeps its connections
 * @param flaps    how often a back end may go within the window
 * @param window   in which goings are counted
 * @param hold     how long one that went too often has to be well before it gets streams again, the first time; each time it is held again twice as long
 * @param mostHold the longest; also how long after a hold it has to be well so that the next one is like the first
 * @param forget   after so long one that is out is forgotten, with what is known of its goings
 */
public record Timing(Duration period, Duration lease, Duration drain, int flaps, Duration window, Duration hold, Duration mostHold, Duration forget) {
    /** Reports that may be lost in a row before a back end is out: with one of them lost and one late it is still in. */
    private static final int PERIODS_OF_A_LEASE = 3;
    /** Within a minute three restarts are somebody at work; the fourth is something broken. */
    private static final int FLAPS = 3;
    private static final Duration WINDOW = Duration.ofMinutes(1);
    private static final Duration HOLD = Duration.ofSeconds(10);
    private static final Duration MOST_HOLD = Duration.ofMinutes(5);
    private static final Duration FORGET = Duration.ofMinutes(30);
    private static final int MOST_FLAPS = 1000;

    /** @throws AnepException EE-501 with the field */
    public Timing {
        within("period", period, Duration.ofMillis(WelcomeReader.LEAST_PERIOD), Duration.ofMillis(WelcomeReader.MOST_PERIOD));
        within("lease", lease, period.plusMillis(1), Duration.ofMillis(WelcomeReader.MOST_LEASE));
        within("drain", drain, Duration.ZERO, Duration.ofDays(1));
        within("window", window, period, Duration.ofDays(1));
        within("hold", hold, period, Duration.ofDays(1));
        within("mostHold", mostHold, hold, Duration.ofDays(1));
        within("forget", forget, lease, Duration.ofDays(7));
        if (flaps < 1 || flaps > MOST_FLAPS) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "flaps is " + flaps + "; it must be 1 to " + MOST_FLAPS);
        }
    }

    /** What fits most clusters: a lease of three periods, and a back end that goes more than three times a minute is held for 10 s to 5 minutes. */
    public static Timing of(Duration period, Duration drain) {
        return new Timing(period, period.multipliedBy(PERIODS_OF_A_LEASE), drain, FLAPS, longer(WINDOW, period), longer(HOLD, period), longer(MOST_HOLD, period),
                longer(FORGET, period.multipliedBy(PERIODS_OF_A_LEASE)));
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    private static void within(String field, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, field + " is " + value.toMillis() + " ms; it must be " + least.toMillis() + " to "
                    + most.toMillis() + " ms");
        }
    }
}
