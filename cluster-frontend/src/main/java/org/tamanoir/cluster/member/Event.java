package org.tamanoir.cluster.member;

/**
 * Something that happened to a back end.
 *
 * @param at     when, on the clock of the calls (nanoseconds, {@link System#nanoTime})
 * @param member its name
 * @param text   a sentence without the name: {@code has not reported for 3.0 s}
 */
public record Event(long at, String member, What what, String text) {
    /** What can happen. */
    public enum What {
        /** It was in the plan of the last run, and has a lease to report. */
        KEPT,
        /** Its first report. */
        JOINED,
        /** It reports again after it was out. */
        RETURNED,
        /** Another instance of it reports. */
        RESTARTED,
        /** It has another address, port or pool. */
        MOVED,
        /** It answers the check. */
        UP,
        /** It does not answer the check any more. */
        DOWN,
        /** It has not reported for a lease. */
        LAPSED,
        /** It takes no more streams. */
        DRAINING,
        /** Its time to drain is over. */
        DRAINED,
        /** It has said goodbye. */
        LEFT,
        /** It goes and comes too often. */
        HELD,
        /** It is held no more. */
        RELEASED,
        /** What it says is refused. */
        REFUSED,
        /** It was out for so long that nothing is known of it any more. */
        FORGOTTEN
    }
}
