package org.tamanoir.dyram.wire;

import java.net.InetSocketAddress;

/**
 * A source, a node or a receiver, as whoever drives it sees it: Netty, or a simulator. Times are nanoseconds of a clock that only goes
 * forward. One thread.
 */
public interface Core {
    /** It may begin to speak; by default it waits for others. */
    default void start(long now) {
    }

    /** A message of a neighbour, lent during the call. */
    void onMessage(long now, Message message, InetSocketAddress from);

    /** No more messages for the moment: what was gathered leaves. */
    void flush(long now);

    /** When {@link #onTimer} has something to do; {@link Long#MAX_VALUE}: never. */
    long deadline();

    void onTimer(long now);
}
