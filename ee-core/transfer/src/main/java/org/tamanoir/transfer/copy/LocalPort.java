package org.tamanoir.transfer.copy;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongConsumer;
import java.util.zip.CRC32C;
import org.tamanoir.anep.AnepException;
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
    public Octets take() {
        Piece piece = asked.remove();
        if (buffer.capacity() < piece.octets()) {
            buffer = ByteBuffer.allocateDirect(piece.octets());
        }
        buffer.clear().limit(piece.octets());
        if (piece.extent() != null) {
            try {
                store.read(piece.file().from, piece.file().stamp, piece.extent(), buffer);
            } catch (AnepException e) {
                throw PieceFailed.of(e);
            }
        }
        buffer.flip();
        CRC32C sum = new CRC32C();
        sum.update(buffer.duplicate());
        return new Octets(buffer, (int) sum.getValue());
    }

    @Override
    public void give(Piece piece, Octets octets) {
        FileJob file = piece.file();
        int length = octets.octets().remaining();
        try {
            given.add((file.small ? store.put(file.to, file.stamp, octets.octets()) : store.write(file.to, file.stamp, piece.extent().offset(), octets.octets(), octets.crc()))
                    .toCompletableFuture());
            moved.accept(length);
        } catch (AnepException e) {
            given.add(CompletableFuture.failedFuture(e));
        }
    }

    @Override
    public void settle() {
        try {
            given.remove().join();
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
