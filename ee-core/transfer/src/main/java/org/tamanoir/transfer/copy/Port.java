package org.tamanoir.transfer.copy;

import org.tamanoir.transfer.Content;

/** What one stream of a copy can also read from. */
interface Port extends Sink {
    /** Begins to read a piece. */
    void ask(Piece piece) throws InterruptedException;

    /** Waits for the first piece that was asked for and not taken. It is valid until the next is taken. */
    Content take() throws InterruptedException;
}
