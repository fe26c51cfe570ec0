package org.tamanoir.node.transport;

import io.netty.buffer.ByteBuf;

/**
 * Where the packets of one direction of a stream go, one after the other. A service, a writer to a socket, or several in a row.
 *
 * <p>A packet is lent: the sink may look at it until {@link #settle}, and takes a reference there if it needs the octets for longer. So
 * a run of packets that all pass costs one reference, not one each.
 */
public interface PacketSink {
    /**
     * A whole packet, lent until the next {@link #settle}.
     *
     * @param nanos when it was read, {@link System#nanoTime()}
     */
    void packet(ByteBuf buffer, int offset, int length, long nanos);

    /** The buffer of the packets so far is about to be given back: take references now. */
    void settle();

    /** Nothing more comes for the moment: hand over what was gathered. */
    void flush();

    /** Whether there is room for more before the peer behind this sink has read what it has. Packets are taken all the same. */
    default boolean hasRoom() {
        return true;
    }

    /** Nothing more comes at all. */
    void end();
}
