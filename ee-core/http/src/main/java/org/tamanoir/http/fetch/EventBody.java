package org.tamanoir.http.fetch;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A body that somebody takes piece by piece while it arrives. One piece is asked for at a time: what is not taken stays with the server.
 */
final class EventBody implements BodySubscriber<EventBody> {
    /**
     * What came.
     *
     * @param octets null at the end of the body
     * @param error  null where it ended cleanly
     */
    record Piece(List<ByteBuffer> octets, Throwable error) {
    }

    private final CompletableFuture<EventBody> begun = new CompletableFuture<>();
    /** Holds at most one piece of octets and one end. */
    private final BlockingQueue<Piece> pieces = new LinkedBlockingQueue<>();
    private volatile Flow.Subscription subscription;

    BlockingQueue<Piece> pieces() {
        return pieces;
    }

    /** Asks for the next piece. */
    void more() {
        subscription.request(1);
    }

    /** Ends the connection. */
    void cancel() {
        subscription.cancel();
    }

    @Override
    public CompletionStage<EventBody> getBody() {
        return begun;
    }

    @Override
    public void onSubscribe(Flow.Subscription newSubscription) {
        subscription = newSubscription;
        begun.complete(this);
        newSubscription.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> octets) {
        pieces.add(new Piece(octets, null));
    }

    @Override
    public void onError(Throwable error) {
        pieces.add(new Piece(null, error));
    }

    @Override
    public void onComplete() {
        pieces.add(new Piece(null, null));
    }
}
