package org.tamanoir.transfer.copy;

import java.util.ArrayDeque;
import java.util.Optional;
import org.tamanoir.transfer.Content;
import org.tamanoir.transfer.wire.Message;

/** Writes to a mover, and enters in the journal, which the first mover of the destination keeps, what that has brought to the disk. */
final class StripeSink implements Sink {
    private final Sink mover;
    private final MoverPort keeper;
    /** What is to be entered when it is on the disk; nothing for a small file, which is in no journal. */
    private final ArrayDeque<Optional<Message.Enter>> given = new ArrayDeque<>();

    StripeSink(Sink mover, MoverPort keeper) {
        this.mover = mover;
        this.keeper = keeper;
    }

    @Override
    public void give(Piece piece, Content content) throws InterruptedException {
        FileJob file = piece.file();
        given.add(file.small ? Optional.empty() : Optional.of(new Message.Enter(file.to, file.stamp, file.inode, piece.extent(), content.crc(), content.adler())));
        mover.give(piece, content);
    }

    @Override
    public void settle() throws InterruptedException {
        Optional<Message.Enter> entry = given.remove();
        mover.settle();
        if (entry.isPresent()) {
            keeper.send(entry.get());
            keeper.reply(Message.Done.class);
        }
    }

    @Override
    public void close() {
        try {
            keeper.close();
        } finally {
            mover.close();
        }
    }
}
