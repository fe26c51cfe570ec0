package org.tamanoir.anep;

import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.ServerChannelRecvByteBufAllocator;

/** How everything here that listens on TCP takes connections. */
public final class Listening {
    /** Connections that are taken in one turn of the loop at most. */
    private static final int MOST = 256;

    private Listening() {
    }

    /**
     * Has a listener take all who wait ({@code RECVBUF_ALLOCATOR} of the server channel). By itself Netty's epoll (4.2.12) takes one connection in each turn of
     * the loop: it takes the number of the descriptor for that of octets, and thinks that there is nothing more. Beside a thousand busy connections a turn is long.
     */
    public static RecvByteBufAllocator all() {
        ServerChannelRecvByteBufAllocator all = new ServerChannelRecvByteBufAllocator();
        all.maxMessagesPerRead(MOST);
        return all.respectMaybeMoreData(false);
    }
}
