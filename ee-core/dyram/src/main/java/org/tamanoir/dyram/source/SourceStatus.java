package org.tamanoir.dyram.source;

import java.util.List;

/**
 * How a session is, seen from its source.
 *
 * @param state   what it is doing
 * @param packets packets of the session
 * @param sent    packets that were sent for the first time
 * @param repairs packets that were sent again
 * @param nacks   messages about missing packets that came
 * @param reports reports that came
 * @param refused messages that were not true
 * @param rate    bits a second that it sends at now
 * @param expect  receivers that it expects
 * @param members every receiver that is expected or came, by name
 */
public record SourceStatus(State state, long packets, long sent, long repairs, long nacks, long reports, long refused, long rate,
                           int expect, List<MemberStatus> members) {
    /** The life of a session. */
    public enum State {
        /** It waits for receivers. */
        GATHERING,
        /** It sends packets for the first time. */
        SENDING,
        /** Everything was sent; some receivers are not complete. */
        REPAIRING,
        /** It says good-bye. */
        CLOSING,
        /** It is over. */
        OVER
    }

    /** Whether every receiver that it expects is complete. */
    public boolean allComplete() {
        return members.stream().filter(MemberStatus::isComplete).count() >= Math.max(1, expect);
    }
}
