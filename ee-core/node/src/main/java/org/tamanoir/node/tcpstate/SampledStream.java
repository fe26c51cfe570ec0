package org.tamanoir.node.tcpstate;

import org.tamanoir.node.transport.TcpLeg;

/** A TCP stream as the sampling sees it. On its loop. */
public interface SampledStream {
    /** The connection that it comes on. */
    TcpLeg before();

    /** The connection that it goes on by; null while there is none. */
    TcpLeg after();

    /** Where its time toward the destination goes. */
    StreamTimes times();
}
