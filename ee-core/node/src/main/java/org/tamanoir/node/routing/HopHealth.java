package org.tamanoir.node.routing;

import java.util.Locale;
import org.tamanoir.anep.HopCheck;

/**
 * What is known of a next hop: by use, from streams that could not reach it, and by checks, from questions that it answers or does not. Without clock
 * or I/O. Times are nanoseconds of one clock. Thread-safe: checks run on one event loop, streams on all of them.
 *
 * <p>Checks count from the first answer on. A hop that never answered, because it is older than checks or because a firewall lets no datagram through,
 * is judged by use alone.
 */
final class HopHealth {
    /** How often a hop is asked. */
    static final long PERIOD = 200_000_000L;
    /** Silence after which a hop that used to answer is down: four questions, so that two lost datagrams cost nothing. */
    static final long SILENCE = 800_000_000L;
    /** How long a hop is left alone after a stream could not reach it; doubled each time that goes on. */
    static final long LEAVE = 1_000_000_000L;
    static final long LONGEST_LEAVE = 30_000_000_000L;
    /** Answers that come late count if their question was one of so many before: a path may be longer than a period. */
    private static final int QUESTIONS = 32;

    /** How a hop is. The order is that in which streams take them. */
    enum State {
        /** It answers checks. */
        UP,
        /** It has answered none yet, and no stream failed to reach it. */
        UNKNOWN,
        /** It is stopping and takes no new streams. */
        DRAINING,
        /** A stream could not reach it a moment ago. */
        FAILED,
        /** It used to answer checks and does no more. */
        DOWN;

        boolean takesStreams() {
            return this == UP || this == UNKNOWN;
        }

        /** As operators read it. */
        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * A state with its reason, as a sentence for an operator.
     *
     * @param streams that were led there
     * @param failures streams that could not reach it
     */
    record Report(State state, String because, long streams, long failures) {
    }

    private final long secret;
    private long asked;
    private boolean answers;
    private long answeredAt;
    private HopCheck said = HopCheck.OPEN;
    private int failuresInARow;
    private long leftUntil;
    private String why;
    private long streams;
    private long failures;

    /** @param secret from which the numbers of questions count, so that nobody off the path can answer them */
    HopHealth(long secret) {
        this.secret = secret;
    }

    /** The number of the next question. */
    synchronized long ask() {
        return secret + ++asked;
    }

    /** An answer has come; one to no question of ours is ignored. */
    synchronized void answered(HopCheck says, long number, long now) {
        long question = number - secret;
        if (question <= asked - QUESTIONS || question < 1 || question > asked) {
            return;
        }
        if (answers && now - answeredAt > SILENCE) {
            // It is back: what was before does not matter.
            failuresInARow = 0;
            leftUntil = now;
        }
        answers = true;
        answeredAt = now;
        said = says;
    }

    /** The system says that nobody listens there: no need to wait for silence. */
    synchronized void refused(long now) {
        if (answers) {
            answeredAt = Math.min(answeredAt, now - SILENCE - 1);
        }
    }

    /** A stream could not reach it. */
    synchronized void failed(String reason, long now) {
        failures++;
        why = reason;
        leftUntil = now + Math.min(LONGEST_LEAVE, LEAVE << Math.min(failuresInARow++, 5));
    }

    /** A stream has a connection to it. */
    synchronized void reached() {
        failuresInARow = 0;
        leftUntil = Long.MIN_VALUE;
        streams++;
    }

    synchronized State state(long now) {
        if (answers && now - answeredAt > SILENCE) {
            return State.DOWN;
        }
        if (failuresInARow > 0 && now - leftUntil < 0) {
            return State.FAILED;
        }
        return answers && said == HopCheck.DRAINING ? State.DRAINING : answers ? State.UP : State.UNKNOWN;
    }

    synchronized Report report(long now) {
        State state = state(now);
        String because = switch (state) {
            case UP -> "answers checks";
            case UNKNOWN -> "has answered no check yet";
            case DRAINING -> "says that it is stopping";
            case FAILED -> "failed by use " + failuresInARow + (failuresInARow == 1 ? " time: " : " times in a row: ") + why;
            case DOWN -> "has answered no check for " + (now - answeredAt) / 100_000_000L / 10.0 + " s";
        };
        return new Report(state, because, streams, failures);
    }
}
