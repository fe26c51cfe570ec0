package org.tamanoir.transfer.copy;

import org.tamanoir.transfer.Content;

/** What one stream of a copy writes to. Any number of pieces can be under way, first in, first out. Of one thread. Whatever is thrown but {@link PieceFailed} is the end of it. */
interface Sink extends AutoCloseable {
    /** Begins to write a piece; it has been read when this returns. @param content null where the lane has no port that reads */
    void give(Piece piece, Content content) throws InterruptedException;

    /** Waits until the first piece that was given and not settled is on the disk. */
    void settle() throws InterruptedException;

    @Override
    void close();
}
