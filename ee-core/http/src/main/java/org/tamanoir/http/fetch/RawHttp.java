package org.tamanoir.http.fetch;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * For protocols on HTTP that use statuses and headers: any request to any server, and any answer. Redirects are not followed. Immutable, for any number of threads; every call
 * blocks and ends within its time, and earlier if nothing comes or goes.
 */
public final class RawHttp {
    private final HttpClient client;
    private final ErrorCode unreachable;
    private final Duration silence;

    /** Where the body of an answer goes. @param limit in octets */
    public record Body(OutputStream out, long limit) {
        /** For a body that nobody wants. */
        public static final Body NONE = new Body(OutputStream.nullOutputStream(), 64 << 10);
    }

    /** Decides where the body goes, before it comes, on a thread of the client. */
    public interface Sink {
        /** @throws AnepException if the answer is of no use; the caller gets it */
        Body body(int status, HttpHeaders headers) throws IOException;
    }

    /** An answer whose body has come to its end. @param octets of the body */
    public record Answer(int status, HttpHeaders headers, long octets) {
        /** The first value of a header, or null. */
        public String header(String name) {
            return headers.firstValue(name).orElse(null);
        }
    }

    /**
     * @param tls         for https; null for the JDK's authorities
     * @param unreachable the code if no answer comes, or none to the end
     * @param silence     the longest time in which nothing comes or goes
     */
    public RawHttp(SSLContext tls, ErrorCode unreachable, Duration silence) {
        this.client = tls == null ? null : HttpClients.of(tls);
        this.unreachable = unreachable;
        this.silence = silence;
    }

    /**
     * Sends a request.
     *
     * @param request http or https
     * @param time    from now to the last octet of the answer
     * @throws AnepException unreachable, EE-405 if the body is longer than the sink allows, EE-409 if the sink cannot take it
     */
    public Answer send(HttpRequest.Builder request, String method, BodyPublisher body, Duration time, Sink sink) {
        AtomicLong moved = new AtomicLong();
        HttpRequest counted = request.method(method, body.contentLength() == 0 ? body : new Counted(body, moved)).timeout(time).build();
        AtomicLong limit = new AtomicLong();
        HttpResponse<Long> response = new Exchange(origin(counted.uri()), client, time, unreachable).any(counted, limit::get, info -> {
            try {
                moved.incrementAndGet();
                Body to = sink.body(info.statusCode(), info.headers());
                limit.set(to.limit());
                return new BoundedBody(to.out(), to.limit(), moved::addAndGet);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }, moved::get, silence);
        return new Answer(response.statusCode(), response.headers(), response.body());
    }

    /** Scheme, host and port: all that is said of a server in messages, for the rest may hold secrets. */
    private static URI origin(URI uri) {
        return URI.create(uri.getScheme() + "://" + uri.getRawAuthority());
    }

    /** Counts what goes. */
    private record Counted(BodyPublisher body, AtomicLong moved) implements BodyPublisher {
        @Override
        public long contentLength() {
            return body.contentLength();
        }

        @Override
        public void subscribe(Flow.Subscriber<? super ByteBuffer> taker) {
            body.subscribe(new Flow.Subscriber<>() {
                @Override
                public void onSubscribe(Flow.Subscription subscription) {
                    taker.onSubscribe(subscription);
                }

                @Override
                public void onNext(ByteBuffer octets) {
                    moved.addAndGet(octets.remaining());
                    taker.onNext(octets);
                }

                @Override
                public void onError(Throwable error) {
                    taker.onError(error);
                }

                @Override
                public void onComplete() {
                    taker.onComplete();
                }
            });
        }
    }
}
