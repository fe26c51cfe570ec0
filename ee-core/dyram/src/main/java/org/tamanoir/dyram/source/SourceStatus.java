package org.tamanoir.dyram.source;

import java.net.InetSocketAddress;
import java.util.List;
import org.tamanoir.anep.ErrorCode;

/**
 * How a session is, seen from its source.
 *
 * @param state   what it is doing
 * @param packets packets of the session
 * @param sent    packets that were sent for the first time
 * @param skipped packets that were not sent, as every receiver held them
 * @param repairs packets that were sent again
 * @param nacks   messages about missing packets that came
 * @param reports reports that came
 * @param refused messages that were not true
 * @param rate    bits a second that it sends at now
 * @param expect  receivers that it expects
 * @param members every receiver that is expected or came, by name
 */
public record SourceStatus(State state, long packets, long sent, long skipped, long repairs, long nacks, long reports, long refused, long rate,
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

    /**
     * What a source knows of one receiver.
     *
     * @param name   its name
     * @param state  what it is doing
     * @param have   packets that it has
     * @param error  why it is not complete; null while it may still be, and when it is. EE-710 if it never came
     * @param wrong  whether it has sent wrong repairs (EE-708)
     * @param silent of one that is lost: the next place on the way to it, if that is silent; null if that answers and has lost it too
     */
    public record MemberStatus(String name, State state, long have, ErrorCode error, boolean wrong, InetSocketAddress silent) {
        /** The life of a receiver, seen from the source. */
        public enum State { EXPECTED, RECEIVING, COMPLETE, LOST, LEFT, DROPPED, FAILED }

        /** Whether it has everything, checked. */
        public boolean isComplete() {
            return state == State.COMPLETE;
        }
    }
}
