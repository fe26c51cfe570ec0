package org.tamanoir.node.stream;

import org.tamanoir.anep.AnepException;
import org.tamanoir.node.tcpstate.StreamTimes;

/** The back-pressure of one direction of a stream, as its services see it. */
interface FlowControl {
    /** Whether what is emitted now finds room. */
    boolean hasRoom();

    /** Whether the receiver has taken everything that was flushed. On the loop of the stream. */
    boolean isDrained();

    /** Has somebody told, on the loop of the stream, whenever the receiver has taken everything after it had not. */
    void onRoom(Runnable told);

    /** A heavy service has more to do than it may, or again less: makes the source wait. On the loop of the stream. */
    void busy(boolean busy);

    /**
     * A service makes the source of this direction wait, or lets it go on; once for each service and reason. On the loop of the stream.
     *
     * @param forRate because the source is over the rate that it may have
     */
    void pause(boolean pause, boolean forRate);

    /** A service ends the direction before its end has come. On the thread of the service. */
    default void finishes() {
    }

    /** Where it is counted what the time of this direction goes into; null for nowhere. */
    default StreamTimes times() {
        return null;
    }

    /** The code point of what services emit by themselves, and not because of a packet. On the loop of the stream. */
    int codePoint();

    /** See {@link org.tamanoir.service.Output#waitingInput}. On the thread of the service. */
    default double waitingInput() {
        return 0;
    }

    /** See {@link org.tamanoir.service.Output#waitingOutput}. On the thread of the service. */
    default double waitingOutput() {
        return 0;
    }

    /** A service has failed: ends the stream. On any thread. */
    void failed(AnepException why);
}
