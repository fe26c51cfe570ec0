package org.tamanoir.transfer.copy;

import java.util.ArrayDeque;
import org.tamanoir.anep.AnepException;
import org.tamanoir.transfer.Content;
import org.tamanoir.transfer.store.Store;
import org.tamanoir.transfer.wire.Message;
import org.tamanoir.transfer.wire.MessageStream;
import org.tamanoir.transfer.wire.PullOrder;

/** Has another mover of the destination pull pieces from one of the source, and enters in the journal here what it has brought to the disk that both have. */
final class PullSink implements Sink {
    private final MoverPort mover;
    private final Store.Octets journal;
    private final Copy copy;
    private final ArrayDeque<Piece> given = new ArrayDeque<>();

    private PullSink(MoverPort mover, Store.Octets journal, Copy copy) {
        this.mover = mover;
        this.journal = journal;
        this.copy = copy;
    }

    /** @param mover which is closed if this fails @throws AnepException if the other mover does not reach that of the source, or is not wanted there */
    static PullSink open(MoverPort mover, PullOrder order, Store.Octets journal, Copy copy) throws InterruptedException {
        try {
            mover.send(new Message.Attach(), MessageStream.body(order));
            mover.reply(Message.Done.class);
            return new PullSink(mover, journal, copy);
        } catch (PieceFailed e) {
            mover.close();
            // Of the stream, and not of a piece.
            throw new AnepException(e.code(), e.text(), e);
        } catch (AnepException | InterruptedException e) {
            mover.close();
            throw e;
        }
    }

    @Override
    public void give(Piece piece, Content content) throws InterruptedException {
        FileJob file = piece.file();
        given.add(piece);
        // Of a file without octets there is nothing to pull.
        mover.send(piece.extent() == null ? new Message.Put(file.to, file.stamp, false) : new Message.Pull(file.from, file.to, file.stamp, file.inode, piece.extent(), file.small));
    }

    @Override
    public void settle() throws InterruptedException {
        Piece piece = given.remove();
        if (piece.extent() == null) {
            mover.reply(Message.Done.class);
            return;
        }
        Message.Pulled pulled = (Message.Pulled) mover.reply(Message.Pulled.class).message();
        copy.movedElsewhere(pulled.moved());
        copy.left(piece.octets() - pulled.moved());
        if (!piece.file().small) {
            LocalPort.settle(journal.enter(piece.file().to, piece.file().stamp, piece.file().inode, piece.extent(), pulled.crc(), pulled.adler()));
        }
    }

    @Override
    public void close() {
        mover.close();
    }
}
