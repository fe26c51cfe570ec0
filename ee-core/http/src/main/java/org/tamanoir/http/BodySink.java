package org.tamanoir.http;

import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;

/**
 * Takes the body of one request, piece by piece. {@link #accept} is called on the event loop and never again before it has called back;
 * {@link #finish} and {@link #discard} may be called on a worker.
 */
interface BodySink {
    /** For a request that has no body. */
    BodySink NONE = new BodySink() {
        @Override
        public void accept(ByteBuf piece, Consumer<AnepException> done) {
            piece.release();
            done.accept(null);
        }

        @Override
        public void finish(Request request) {
        }

        @Override
        public void discard() {
        }
    };

    /**
     * Takes one piece and releases it.
     *
     * @param done called when the next piece may come, on any thread, with the reason if the body cannot be taken, else with null
     */
    void accept(ByteBuf piece, Consumer<AnepException> done);

    /** The body is whole: hands it to the request. */
    void finish(Request request);

    /** Gives back memory and files, once or more often, also in the middle of a body. */
    void discard();
}
