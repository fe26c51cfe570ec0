package org.tamanoir.dyram.wire;

/**
 * How far one receiver is.
 *
 * @param member its number in the session, 1 to 65,535
 * @param phase  what it is doing
 * @param have   packets that it has
 */
public record MemberState(int member, Phase phase, long have) {
    /** The life of a receiver in a session. The number is on the wire. */
    public enum Phase {
        /** It waits for the first packet or gets packets. */
        RECEIVING,
        /** It has everything, checked. */
        COMPLETE,
        /** What it has is not what was sent. */
        DIFFERS,
        /** It cannot keep what it gets: its disk is full, for instance. */
        STORAGE,
        /** It has said good-bye. */
        LEFT,
        /** Its node has not heard of it for too long. */
        LOST;

        private static final Phase[] ALL = values();

        /** @return null if there is no such phase */
        public static Phase of(int number) {
            return number >= 0 && number < ALL.length ? ALL[number] : null;
        }

        /** Whether nothing more will come of it, unless it joins again. */
        public boolean isOver() {
            return this != RECEIVING;
        }
    }
}
