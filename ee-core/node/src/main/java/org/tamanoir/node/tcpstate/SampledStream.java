package org.tamanoir.node.tcpstate;

import java.net.InetSocketAddress;
import java.util.List;
import org.tamanoir.node.transport.TcpLeg;

/** A TCP stream as the sampling sees it. On its loop. */
public interface SampledStream {
    /** The connection that it comes on. */
    TcpLeg before();

    /** The connection that it goes on by; null while there is none. */
    TcpLeg after();

    /** Where its time toward the destination goes. */
    StreamTimes times();

    Facts facts();

    /**
     * Which stream it is.
     *
     * @param peer at the other end of the connection that it comes on
     * @param next at the other end of the one that it goes on by
     */
    record Facts(long number, InetSocketAddress peer, InetSocketAddress source, InetSocketAddress destination, InetSocketAddress next, List<Integer> typeIds, long beganNanos) {
    }
}
