package org.tamanoir.transfer.copy;

import java.nio.ByteBuffer;

/**
 * What one stream of a copy reads from, or writes to. Any number of pieces can be under way, first in, first out. Of one thread. Whatever is thrown but
 * {@link PieceFailed} is the end of it.
 */
interface Port extends AutoCloseable {
    /** Octets of a piece. @param crc CRC-32C of them */
    record Octets(ByteBuffer octets, int crc) {
    }

    /** Begins to read a piece. */
    void ask(Piece piece) throws InterruptedException;

    /** Waits for the first piece that was asked for and not taken. Its octets are valid until the next is taken. */
    Octets take() throws InterruptedException;

    /** Begins to write a piece; its octets have been read when this returns. */
    void give(Piece piece, Octets octets) throws InterruptedException;

    /** Waits until the first piece that was given and not settled is on the disk. */
    void settle() throws InterruptedException;

    @Override
    void close();
}
