package org.tamanoir.dyram.receiver;

import io.netty.buffer.ByteBuf;
import org.tamanoir.dyram.wire.SessionTerms;

/** Where a receiver keeps packets: also the memory from which it repairs. Called by one thread. */
public interface Store {
    /**
     * A session begins.
     *
     * @return the packets that are there already, from a run before; a new set that the receiver goes on with
     * @throws org.tamanoir.anep.AnepException EE-409 if nothing can be kept
     */
    PacketSet open(long session, SessionTerms terms);

    /**
     * Keeps a packet.
     *
     * @param index which one, from 0
     * @param body  its tag and content, lent during the call
     * @throws org.tamanoir.anep.AnepException EE-409 if the disk does not take it
     */
    void put(long index, ByteBuf body);

    /**
     * A packet that was kept, tag and content, as it was kept.
     *
     * @return a buffer that the caller releases
     * @throws org.tamanoir.anep.AnepException EE-409 if it cannot be read
     */
    ByteBuf get(long index);

    /**
     * Everything is there: compares the whole with what was sent, puts it where it belongs, and calls {@link ReceiverCore#checked}, now or
     * later.
     *
     * @param digest SHA-256 of the whole
     */
    void check(byte[] digest);
}
