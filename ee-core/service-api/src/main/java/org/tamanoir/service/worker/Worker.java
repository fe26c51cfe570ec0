package org.tamanoir.service.worker;

import io.netty.buffer.ByteBuf;

/** One program that runs for a service. Safe for all threads; after its end nothing happens. */
public interface Worker {
    /** Octets that may wait for the program before it is ended (EE-308). */
    int MOST_WAITING = 16 << 20;

    /**
     * Gives it octets behind those before; the reference is given away. One that has closed its input gets them no more, and they are thrown away.
     *
     * @return whether there is room for more; after {@code false} the handler hears {@link WorkerHandler#onWritable}
     */
    boolean write(ByteBuf octets);

    /** Octets that were written and that it has not taken: for live media, which had better be dropped than be late. */
    long waiting();

    /** Whether there is room. */
    boolean isWritable();

    /** Closes its input behind what was written. What it says then still comes. */
    void finish();

    /** Reads no more of what it says, so that it has to wait, or goes on. What has been read already still comes: about a megabyte. */
    void pause(boolean paused);

    /** Ends it now. The handler is told once more, by {@link WorkerHandler#onClosed} with EE-319. */
    void abort();
}
