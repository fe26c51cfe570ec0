package org.tamanoir.services.compression;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;

/**
 * The codecs of one kind, lent for one packet at a time. A codec holds up to 1.6 MB of native memory and nothing of a stream, so there
 * are only as many as threads have worked at the same time, whatever the number of streams: the last one given back, whose memory is
 * warm, is lent first.
 */
final class CodecPool implements AutoCloseable {
    private final Deque<Codec> idle = new ArrayDeque<>();
    private final Supplier<Codec> maker;
    private boolean closed;

    CodecPool(Supplier<Codec> maker) {
        this.maker = maker;
    }

    Codec take() {
        synchronized (this) {
            Codec codec = idle.pollLast();
            if (codec != null) {
                return codec;
            }
        }
        return maker.get();
    }

    void give(Codec codec) {
        synchronized (this) {
            if (!closed) {
                idle.addLast(codec);
                return;
            }
        }
        codec.close();
    }

    synchronized int idle() {
        return idle.size();
    }

    /** Frees the codecs that are here; one that is out is freed when it comes back. */
    @Override
    public synchronized void close() {
        closed = true;
        idle.forEach(Codec::close);
        idle.clear();
    }
}
