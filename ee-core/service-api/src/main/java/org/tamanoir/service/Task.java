package org.tamanoir.service;

/**
 * Work for one stream outside its packets: what {@link StreamContext#execute} and {@link StreamContext#later} run.
 *
 * <p>It runs on the stream's own thread, between two calls of the stream's handler and never beside one, and is held to the same rules: it
 * may emit in both directions, it must return in time, and one that throws ends the stream. A task is either run or
 * {@link #discarded}, once.
 */
@FunctionalInterface
public interface Task {
    /**
     * Does the work. The outputs are valid during the call.
     *
     * @param forward toward the destination; what it emits stands in front of the packets that come next
     * @param back    toward the source
     */
    void run(Output forward, Output back) throws Exception;

    /** It will not run: its stream is gone, or its timer was cancelled. Release what it holds; nothing can be emitted. */
    default void discarded() {
    }
}
