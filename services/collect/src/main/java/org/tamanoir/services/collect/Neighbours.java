package org.tamanoir.services.collect;

import org.tamanoir.collective.Frame;
import org.tamanoir.collective.Operation;

/** What a {@link Group} wants done. Branches have numbers that the driver has chosen; {@link #UP} is the way to the root. */
interface Neighbours {
    int UP = -1;

    /** Says something, behind all that was said before. */
    void send(int to, Frame frame);

    /** Ends the way to a neighbour behind what was said. */
    void end(int neighbour);

    /** Drops what waits for a branch and is not on its way. */
    void drop(int branch);

    /** An operation is complete here. */
    void completed(Operation operation);

    /** The group is broken. */
    void broken(int code, String text);

    /** Reads no more of a neighbour, or goes on. */
    void pause(int neighbour, boolean paused);
}
