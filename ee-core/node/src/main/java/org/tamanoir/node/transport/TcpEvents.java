package org.tamanoir.node.transport;

import io.netty.buffer.ByteBuf;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.MalformedPacketException;

/** What the owner of a leg is told; each call comes on the leg's event loop. */
public interface TcpEvents {
    /** The peer has finished sending; {@code clean} is false if it stopped inside a packet. */
    void ended(boolean clean);

    /**
     * The connection is gone, or an error has made it useless. Comes at most once, and never after the owner has ended the leg.
     *
     * @param cause a {@link MalformedPacketException} if the peer sent what is no packet
     */
    void broken(AnepException cause);

    /**
     * The peer gave the connection up before it saw the stream. Nothing else comes after this.
     *
     * @param sent what had been written, to be sent again on another connection and released; empty if that is nothing, null if it is too much
     */
    default void unseen(ByteBuf sent) {
        throw new IllegalStateException("only a stream on a connection that was kept goes unseen");
    }

    /** Everything written has been handed to the system, and the peer is told that nothing more comes; see {@link TcpLeg#finish}. */
    void finished();

    /** The peer does not take everything that was written, or has taken all of it: {@link TcpLeg#waits} has changed. */
    void room(boolean room);
}
