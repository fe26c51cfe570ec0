package org.tamanoir.dyram.receiver;

import org.tamanoir.anep.AnepException;

/**
 * How a receiver is.
 *
 * @param state     what it is doing
 * @param session   the session that it takes part in; 0 before
 * @param packets   packets of the session; 0 before
 * @param have      packets that it has
 * @param found     packets of these that were found here: nobody had to send them
 * @param lost      packets that did not come with their first transmission
 * @param repaired  packets that came as repairs
 * @param duplicate packets that it had already
 * @param wrong     packets whose tag was wrong
 * @param repairs   packets that it sent for others
 * @param refused   messages that were not for it or not true
 * @param error     why it failed; null if it did not
 */
public record ReceiverStatus(State state, long session, long packets, long have, long found, long lost, long repaired, long duplicate, long wrong,
                             long repairs, long refused, AnepException error) {
    /** The life of a receiver. */
    public enum State {
        /** No session is known yet. */
        LISTENING,
        /** It has asked to take part. */
        JOINING,
        /** Packets come. */
        RECEIVING,
        /** It has everything and compares it with what was sent. */
        CHECKING,
        /** It has everything, checked; it still repairs for others. */
        COMPLETE,
        /** The session is over, and everything is there. */
        DONE,
        /** The error says why. */
        FAILED;

        /** Whether it has nothing more to do. */
        public boolean isOver() {
            return this == DONE || this == FAILED;
        }
    }
}
