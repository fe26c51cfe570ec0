package org.tamanoir.service;

/**
 * A handler that works on runs: packets of one direction that came together. It keeps what {@link #onPacket} and {@link #onReturn} hand it
 * ({@link Verdict#TAKEN}), and lets it go on when the run is over.
 */
public interface RunHandler extends StreamHandler {
    /** The packets toward the destination that came together have all been handed over. Also before the end of the direction, and before a task. */
    void onRunEnd(Output out) throws Exception;

    /** The same for packets on their way back. */
    void onReturnRunEnd(Output out) throws Exception;
}
