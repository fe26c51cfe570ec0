package org.tamanoir.dyram.source;

import io.netty.buffer.ByteBuf;

/** What a source sends. Called by one thread. */
public interface Content {
    /** How many packets it makes. */
    long packets();

    /** The first packets, that say what the others are: who has read them may find some of the others with itself. 0 if they say nothing. */
    default long head() {
        return 0;
    }

    /**
     * Whether it can be read. The source begins when it can.
     *
     * @throws org.tamanoir.anep.AnepException EE-409 if it never will be
     */
    default boolean isReady() {
        return true;
    }

    /**
     * The content of a packet: as many octets as the session's packets have, fewer in the last.
     *
     * @param index from 0; every packet is read in order once, and later some again
     * @return a buffer that the caller releases
     * @throws org.tamanoir.anep.AnepException EE-409 if it cannot be read
     */
    ByteBuf read(long index);

    /** SHA-256 of the whole; asked for when every packet was read once. */
    byte[] digest();
}
