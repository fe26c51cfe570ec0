package org.tamanoir.service;

/** A task that waits for its time; from {@link StreamContext#later}. */
@FunctionalInterface
public interface Timer {
    /**
     * Sees to it that the task does not run; it is {@link Task#discarded} during this call. Any thread.
     *
     * @return false if it has run already, is running, or is gone with its stream
     */
    boolean cancel();
}
