package org.tamanoir.services.qosinus;

/**
 * How fast the rest of a file must go to be there in time: what is left by the time that is left. Reads no clock; every call brings the time,
 * nanoseconds of a clock that only goes forward. Safe for all threads.
 *
 * <p>The rate is raised in the period in which the flow falls behind. It is lowered only when the flow has been clearly ahead for some periods in a
 * row: otherwise every packet that is early would give the share of a class away for a moment.
 */
final class TransferPace {
    /** Where a transfer stands. */
    enum State {
        /** Its first packet has not come. */
        WAITING,
        /** On its way, with time left. */
        RUNNING,
        /** Still on its way when its time was over. */
        LATE,
        /** All of it has passed, in time. */
        DONE,
        /** All of it has passed, too late. */
        DONE_LATE;

        boolean isDone() {
            return this == DONE || this == DONE_LATE;
        }
    }

    /** A part of the time is not planned with: a measurement comes a period late, and so does a better class. */
    private static final int RESERVE_PARTS = 20;
    private static final long MOST_RESERVE = 60_000_000_000L;
    /** Rates are worked out for no less time than this, or the last packet would ask for a whole class. */
    private static final long LEAST_NANOS = 100_000_000L;
    /** A rate below this part of what was asked for is clearly lower; above 1 by this it is higher. */
    private static final double CLEARLY_LESS = 0.8;
    private static final double MORE = 1.02;
    /** So many periods in a row must need less. */
    static final int LOWER_PERIODS = 3;
    private static final double SECOND = 1e9;

    private final long size;
    private State state = State.WAITING;
    private long begun;
    private long deadline;
    private long ended;
    private long carried;
    private double rate;
    private int lower;

    /** @param size octets of payload, 1 or more */
    TransferPace(long size) {
        this.size = size;
    }

    /**
     * The first packet has come.
     *
     * @param begunNanos    when
     * @param deadlineNanos when the last one must have passed
     * @param octets        of payload that had passed before this node was restarted
     */
    synchronized void begin(long begunNanos, long deadlineNanos, long octets) {
        begun = begunNanos;
        deadline = deadlineNanos;
        carried = Math.min(size, octets);
        state = State.RUNNING;
    }

    /** It was over before this node was restarted. @param lateNanos how much too late; 0 or less for in time */
    synchronized void restoreEnd(long nowNanos, long lateNanos) {
        carried = size;
        ended = nowNanos;
        deadline = nowNanos - lateNanos;
        state = lateNanos > 0 ? State.DONE_LATE : State.DONE;
    }

    /**
     * Looks at what has passed.
     *
     * @param octets of payload since the beginning
     * @return where it stands now
     */
    synchronized State look(long nowNanos, long octets) {
        if (state == State.WAITING || state.isDone()) {
            return state;
        }
        carried = Math.min(size, octets);
        if (octets >= size) {
            ended = nowNanos;
            state = nowNanos - deadline > 0 ? State.DONE_LATE : State.DONE;
            rate = 0;
            return state;
        }
        if (nowNanos - deadline >= 0) {
            // What is needed to be in time is nothing any more; what was needed before is asked for to the end.
            state = State.LATE;
            rate = Math.max(rate, (size - carried) * SECOND / Math.max(LEAST_NANOS, deadline - begun));
            return state;
        }
        long reserve = Math.min(MOST_RESERVE, (deadline - begun) / RESERVE_PARTS);
        long left = deadline - nowNanos;
        // The reserve melts with what is left, so that the rate has no jump at its beginning.
        long planned = Math.max(LEAST_NANOS, Math.max(left - reserve, left / 2));
        adjust((size - carried) * SECOND / planned, left / 2 > Math.max(LEAST_NANOS, reserve));
        return state;
    }

    /** @param mayLower not at the end: what is nearly done would be put off again and again */
    private void adjust(double needed, boolean mayLower) {
        if (needed > rate * MORE) {
            rate = needed;
            lower = 0;
        } else if (mayLower && needed < rate * CLEARLY_LESS && ++lower >= LOWER_PERIODS) {
            rate = needed;
            lower = 0;
        } else if (needed >= rate * CLEARLY_LESS) {
            lower = 0;
        }
    }

    synchronized State state() {
        return state;
    }

    /** Octets of payload a second that are asked for; 0 before the first packet and after the last. */
    synchronized double rate() {
        return rate;
    }

    long size() {
        return size;
    }

    synchronized long carried() {
        return carried;
    }

    /** Until the deadline; less than 0 after it. Nanoseconds. */
    synchronized long leftNanos(long nowNanos) {
        return deadline - nowNanos;
    }

    /** How long after the deadline the end was; less than 0 for before it. Nanoseconds. */
    synchronized long lateNanos() {
        return ended - deadline;
    }
}
