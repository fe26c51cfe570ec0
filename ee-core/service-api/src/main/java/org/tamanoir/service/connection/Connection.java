package org.tamanoir.service.connection;

import io.netty.buffer.ByteBuf;

/** One connection that a service has opened. Safe for all threads; after its end nothing happens. */
public interface Connection {
    /** Octets that may wait for the other side before the connection is cut (EE-308). */
    int MOST_WAITING = 16 << 20;

    /**
     * Sends octets behind those before; the reference is given away.
     *
     * @return whether there is room for more; after {@code false} the handler hears {@link ConnectionHandler#onWritable}
     */
    boolean write(ByteBuf octets);

    /** Whether there is room. */
    boolean isWritable();

    /** Ends this side's direction behind what was written. The other side may go on; the connection is over when both have ended. */
    void finish();

    /** Stops reading, so that the other side has to wait, or goes on. What has been read already still comes: a few hundred kilobytes. */
    void pause(boolean paused);

    /** Cuts the connection: the other side sees a reset. The handler is told once more, by {@link ConnectionHandler#onClosed} with EE-211. */
    void abort();
}
