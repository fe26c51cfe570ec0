package org.tamanoir.http;

import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;

/** A body in memory, paid for from what the whole server has for bodies. */
final class MemoryBody implements BodySink {
    private final AtomicLong used;
    private final long most;
    private final ByteArrayOutputStream octets = new ByteArrayOutputStream();
    private long mine;

    /**
     * @param used octets that all bodies of the server hold
     * @param most what they may hold together
     */
    MemoryBody(AtomicLong used, long most) {
        this.used = used;
        this.most = most;
    }

    @Override
    public synchronized void accept(ByteBuf piece, Consumer<AnepException> done) {
        int size = piece.readableBytes();
        AnepException refusal = null;
        try {
            if (used.addAndGet(size) > most) {
                // What is not kept must not keep others out.
                used.addAndGet(-size);
                refusal = Refusal.tooManyRequests();
            } else {
                mine += size;
                piece.readBytes(octets, size);
            }
        } catch (IOException e) {
            throw new IllegalStateException("memory has no I/O errors", e);
        } finally {
            piece.release();
        }
        done.accept(refusal);
    }

    @Override
    public synchronized void finish(Request request) {
        request.setBody(octets.toByteArray());
    }

    @Override
    public synchronized void discard() {
        used.addAndGet(-mine);
        mine = 0;
    }
}
