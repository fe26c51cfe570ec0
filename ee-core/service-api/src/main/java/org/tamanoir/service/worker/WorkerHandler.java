package org.tamanoir.service.worker;

import io.netty.buffer.ByteBuf;
import org.tamanoir.anep.AnepException;

/**
 * What a worker tells the service that has started it: one call at a time, among the tasks of the service and within the time of its policy. A call that
 * throws ends the worker and counts as a defect. To act on a stream, use its {@code execute}.
 */
public interface WorkerHandler {
    /** Octets of its standard output. @param octets lent for the call; retain them to keep them */
    void onOctets(Worker worker, ByteBuf octets);

    /** There is room again after {@link Worker#write} or {@link Worker#isWritable} has said {@code false}. */
    default void onWritable(Worker worker) {
    }

    /**
     * It has ended; told once, behind all that it has said.
     *
     * @param why null if it has ended well (exit status 0); otherwise EE-319 with its status, what was wrong with it and the end of what it has written to its
     *     standard error, or EE-308 if too much waited for it
     */
    void onClosed(Worker worker, AnepException why);
}
