package org.tamanoir.client;

import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;

/** A subscriber that asks for what its test tells it to. */
final class CountingSubscriber implements Flow.Subscriber<ByteBuf> {
    private final ByteArrayOutputStream octets = new ByteArrayOutputStream();
    private final CompletableFuture<byte[]> whole = new CompletableFuture<>();
    private final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();
    private volatile int count;

    void request(long n) throws Exception {
        subscription.get().request(n);
    }

    int count() {
        return count;
    }

    CompletableFuture<byte[]> whole() {
        return whole;
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
        subscription.complete(given);
    }

    @Override
    public void onNext(ByteBuf payload) {
        try {
            payload.readBytes(octets, payload.readableBytes());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } finally {
            payload.release();
        }
        count = count + 1;
    }

    @Override
    public void onError(Throwable failure) {
        whole.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        whole.complete(octets.toByteArray());
    }
}
