package org.tamanoir.http;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;

/** Takes the body of a request as it arrives. Called on workers, for one piece at a time: as long as it does not return the client is not read. */
public interface BodyTaker extends AutoCloseable {
    /**
     * The next octets.
     *
     * @param piece valid during the call
     * @throws AnepException if it cannot take them, or the whole; that is the answer, and nothing more comes
     */
    void take(ByteBuffer piece);

    /** The request is over: its handler has returned, or it never came to that, because the body is not whole. Once or more often. */
    @Override
    void close();

    /** Brings it the pieces. */
    final class Sink implements BodySink {
        private static final Logger LOG = LoggerFactory.getLogger(Sink.class);

        private final BodyTaker taker;
        private final Executor workers;
        private boolean discarded;

        Sink(BodyTaker taker, Executor workers) {
            this.taker = taker;
            this.workers = workers;
        }

        @Override
        public void accept(ByteBuf piece, Consumer<AnepException> done) {
            try {
                workers.execute(() -> done.accept(take(piece)));
            } catch (RejectedExecutionException e) {
                piece.release();
                done.accept(Refusal.tooManyRequests());
            }
        }

        private synchronized AnepException take(ByteBuf piece) {
            try {
                if (!discarded) {
                    taker.take(piece.nioBuffer());
                }
                return null;
            } catch (AnepException e) {
                return e;
            } catch (RuntimeException e) {
                LOG.error("a body cannot be taken", e);
                return Refusal.defect();
            } finally {
                piece.release();
            }
        }

        @Override
        public void finish(Request request) {
            request.setTaker(taker);
        }

        @Override
        public synchronized void discard() {
            discarded = true;
            taker.close();
        }
    }
}
