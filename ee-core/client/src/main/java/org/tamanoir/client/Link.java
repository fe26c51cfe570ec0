package org.tamanoir.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import org.tamanoir.client.wire.Packetizer;

/** How the packets of one stream leave: over a TCP connection of its own, or as datagrams. Methods may be called by any thread. */
interface Link {
    EventLoop loop();

    ByteBufAllocator allocator();

    InetSocketAddress peer();

    InetSocketAddress local();

    /** Whether each buffer that is written is one datagram. */
    boolean datagrams();

    /** Whether what was written is needed after it has been taken, to be sent again: nobody may change it any more. */
    default boolean keeps() {
        return false;
    }

    /** Queues a buffer; the reference is given away. */
    Future<?> write(ByteBuf buffer);

    void flush();

    /** Asks for one more read. */
    void read();

    /** Tells the peer that nothing more comes, after everything that was written. */
    CompletableFuture<Void> finish(Packetizer packets);

    /** Gives everything up: a peer that has not been told of an end learns that there was none. */
    void reset();

    /** Both sides have finished. */
    void close();

    /**
     * Sends a last packet and tells the peer that nothing more comes; the reference is given away. Closes a while later by itself.
     *
     * @return when the packet has left: closing before that may take it away from the peer
     */
    CompletableFuture<Void> closeWith(ByteBuf last);
}
