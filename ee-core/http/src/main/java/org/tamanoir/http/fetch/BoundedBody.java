package org.tamanoir.http.fetch;

import java.io.IOException;
import java.io.OutputStream;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.LongConsumer;

/** Writes a body into a stream as it arrives, and gives up as soon as it is longer than allowed. */
final class BoundedBody implements BodySubscriber<Long> {
    private final CompletableFuture<Long> result = new CompletableFuture<>();
    private final OutputStream out;
    private final long limit;
    private final LongConsumer counter;
    private Flow.Subscription subscription;
    private long received;

    /** @param out closed by whoever opened it */
    BoundedBody(OutputStream out, long limit) {
        this(out, limit, octets -> { });
    }

    /** @param counter told of all that comes */
    BoundedBody(OutputStream out, long limit, LongConsumer counter) {
        this.out = out;
        this.limit = limit;
        this.counter = counter;
    }

    @Override
    public CompletionStage<Long> getBody() {
        return result;
    }

    @Override
    public void onSubscribe(Flow.Subscription newSubscription) {
        subscription = newSubscription;
        subscription.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        try {
            for (ByteBuffer buffer : buffers) {
                received += buffer.remaining();
                counter.accept(buffer.remaining());
                if (received > limit) {
                    throw new TooLong();
                }
                byte[] octets = new byte[buffer.remaining()];
                buffer.get(octets);
                out.write(octets);
            }
            subscription.request(1);
        } catch (IOException e) {
            subscription.cancel();
            result.completeExceptionally(e instanceof TooLong ? e : new CannotKeep(e));
        }
    }

    @Override
    public void onError(Throwable error) {
        result.completeExceptionally(error);
    }

    @Override
    public void onComplete() {
        result.complete(received);
    }

    /** More came than was allowed. */
    static final class TooLong extends IOException {
    }

    /** What came cannot be written. */
    static final class CannotKeep extends IOException {
        CannotKeep(IOException cause) {
            super(cause);
        }
    }
}
