package org.tamanoir.dyram.source;

import org.tamanoir.anep.ErrorCode;

/**
 * What a source knows of one receiver.
 *
 * @param name  its name
 * @param state what it is doing
 * @param have  packets that it has
 * @param error why it is not complete; null while it may still be, and when it is. EE-710 if it never came
 * @param wrong whether it has sent wrong repairs (EE-708)
 */
public record MemberStatus(String name, State state, long have, ErrorCode error, boolean wrong) {
    /** The life of a receiver, seen from the source. */
    public enum State { EXPECTED, RECEIVING, COMPLETE, LOST, LEFT, DROPPED, FAILED }

    /** Whether it has everything, checked. */
    public boolean isComplete() {
        return state == State.COMPLETE;
    }
}
