package org.tamanoir.client.multicast;

import java.net.InetSocketAddress;
import org.tamanoir.dyram.wire.Message;

/** What a driver asks of a source or a receiver. Times are nanoseconds of {@link System#nanoTime()}. */
interface Core {
    void start(long now);

    void onMessage(long now, Message message, InetSocketAddress from);

    void flush(long now);

    long deadline();

    void onTimer(long now);
}
