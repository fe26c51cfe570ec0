package org.tamanoir.qos.eds;

/**
 * Which class each packet of a transfer goes in. Classes are numbers from 0, the quickest, to the last, the safest. A transport tells what happens to it; not for
 * several threads at once.
 */
public interface Marking {
    /** Of a packet that is sent for the first time. */
    int first();

    /** Of one that is sent again. */
    default int again() {
        return first();
    }

    /** A loss was found that is not part of the one before; once for a window, or for a timeout. */
    default void lost() {
    }

    /** All that was under way when the last round trip ended has been answered. */
    default void roundTrip() {
    }

    /**
     * Whether an answer to a packet says something about one that was sent before it and has not been answered.
     *
     * @param missing  class of the one that was sent before
     * @param answered class of the other
     */
    default boolean tellsOf(int missing, int answered) {
        return true;
    }

    /** All in one class: what a transport does that knows nothing of classes. */
    static Marking fixed(int c) {
        return () -> c;
    }
}
