package org.tamanoir.node.stream;

import org.tamanoir.anep.AnepException;

/** One direction of a stream, as its services see it. */
interface Way {
    /** Whether what is emitted finds room. */
    boolean isWritable();

    /** A heavy service has more to do than it may, or again less: makes the peer wait. On the loop of the stream. */
    void busy(boolean busy);

    /** A service makes the source of this direction wait, or lets it go on; once for each service. On the loop of the stream. */
    void pause(boolean pause);

    /** A service has failed: ends the stream. On any thread. */
    void failed(AnepException why);
}
