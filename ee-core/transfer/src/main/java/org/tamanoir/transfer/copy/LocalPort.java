package org.tamanoir.transfer.copy;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.LongConsumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.transfer.Content;
import org.tamanoir.transfer.store.Store;

/** Files of this machine. */
final class LocalPort implements Port {
    private final Store.Octets store;
    private final LongConsumer moved;
    private final ArrayDeque<Piece> asked = new ArrayDeque<>();
    private final ArrayDeque<CompletableFuture<Void>> given = new ArrayDeque<>();
    private ByteBuffer buffer = ByteBuffer.allocate(0);

    /** @param moved is told how many octets were written */
    LocalPort(Store.Octets store, LongConsumer moved) {
        this.store = store;
        this.moved = moved;
    }

    @Override
    public void ask(Piece piece) {
        asked.add(piece);
    }

    @Override
    public Content take() {
        Piece piece = asked.remove();
        if (piece.extent() == null) {
            return Content.of(ByteBuffer.allocate(0), 0);
        }
        if (buffer.capacity() < piece.octets()) {
            buffer = ByteBuffer.allocateDirect(piece.octets());
        }
        try {
            return store.read(piece.file().from, piece.file().stamp, piece.extent(), buffer.clear());
        } catch (AnepException e) {
            throw PieceFailed.of(e);
        }
    }

    @Override
    public void give(Piece piece, Content content) {
        FileJob file = piece.file();
        try {
            given.add((file.small ? store.put(file.to, file.stamp, content) : store.write(file.to, file.stamp, piece.extent().offset(), content)).toCompletableFuture());
            moved.accept(content.body().remaining());
        } catch (AnepException e) {
            given.add(CompletableFuture.failedFuture(e));
        }
    }

    @Override
    public void settle() {
        settle(given.remove());
    }

    static void settle(CompletionStage<Void> stage) {
        try {
            stage.toCompletableFuture().join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof AnepException known) {
                throw PieceFailed.of(known);
            }
            throw e;
        }
    }

    @Override
    public void close() {
        // The store is the copy's.
    }
}
