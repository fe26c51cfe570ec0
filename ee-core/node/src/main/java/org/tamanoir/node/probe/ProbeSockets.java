package org.tamanoir.node.probe;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import org.tamanoir.kernel.DatagramBatch;

/** The sockets of one thread, and what it waits with. {@link #open} and {@link #wake} are for all threads. */
interface ProbeSockets extends AutoCloseable {
    /** A bound socket. */
    interface Socket extends AutoCloseable {
        InetSocketAddress address();

        /** What has arrived; 0 for nothing. */
        int receive(DatagramBatch into) throws IOException;

        /** Sends the first of a batch in order, but those of the length 0, and writes the time of each to {@link Stamp#TIME}. */
        int send(DatagramBatch from, int count) throws IOException;

        @Override
        void close();
    }

    /** Port 0 takes a free one; an unspecified address takes both families. */
    Socket open(InetSocketAddress address) throws IOException;

    /** Returns when one of these has something, it is woken, or about so many nanoseconds are over. */
    void await(List<Socket> sockets, long nanos) throws IOException;

    void wake();

    /** The error estimate of this host's clock; see {@link ErrorEstimate}. */
    int errorEstimate();

    /** {@code kernel} or {@code java}, and why. */
    String describe();

    @Override
    void close();
}
