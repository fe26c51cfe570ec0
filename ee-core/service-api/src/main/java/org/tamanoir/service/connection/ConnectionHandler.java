package org.tamanoir.service.connection;

import io.netty.buffer.ByteBuf;
import org.tamanoir.anep.AnepException;

/**
 * What a connection tells the service that has opened it: one call at a time, among the tasks of the service and within the time of its policy. A call
 * that throws cuts the connection and counts as a defect. To act on a stream, use its {@code execute}.
 */
public interface ConnectionHandler {
    /** It stands: the server, or the next node of the way, has accepted. */
    default void onConnected(Connection connection) {
    }

    /** Octets have come. @param octets lent for the call; retain them to keep them */
    void onOctets(Connection connection, ByteBuf octets);

    /** There is room again after {@link Connection#write} or {@link Connection#isWritable} has said {@code false}. */
    default void onWritable(Connection connection) {
    }

    /** The other side has sent its last octet. This side may go on. */
    default void onEnd(Connection connection) {
    }

    /**
     * It is over; told once, behind all that has come.
     *
     * @param why null after both sides have ended; otherwise EE-204 if it could not be reached, what a node on the way has refused it with, EE-211 if it broke or was cut
     */
    void onClosed(Connection connection, AnepException why);
}
