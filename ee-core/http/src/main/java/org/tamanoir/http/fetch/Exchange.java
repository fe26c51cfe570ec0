package org.tamanoir.http.fetch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Sends one request and judges the answer. */
final class Exchange {
    /** The longest answer of a server that refuses. */
    private static final long ERROR_LIMIT = 64 << 10;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** What is known of an answer besides its body. @param isPacked whether the body is in gzip */
    record Answer(int status, String etag, boolean isPacked) {
    }

    private final URI base;
    private final HttpClient client;
    private final Duration timeout;
    private final ErrorCode unreachable;

    /** @param client for https; null for the one that trusts the JDK's authorities */
    Exchange(URI base, HttpClient client, Duration timeout, ErrorCode unreachable) {
        this.base = base;
        this.client = client;
        this.timeout = timeout;
        this.unreachable = unreachable;
    }

    /** Decides where the body of an answer goes, before it comes. */
    interface Receiver {
        /** @return null if this is no answer that the request can have: then it is an error */
        BodySubscriber<Long> body(ResponseInfo answer);
    }

    /** @param out takes the body of a 2xx answer, and nothing of another one */
    Answer send(HttpRequest request, OutputStream out, long limit) {
        return send(request, limit, answer -> isGood(answer.statusCode()) ? new BoundedBody(out, limit) : null);
    }

    /** @param limit of the receiver, for the message if there is more */
    Answer send(HttpRequest request, long limit, Receiver receiver) {
        ByteArrayOutputStream error = new ByteArrayOutputStream();
        // The request's own time-out ends with the header of the answer; the wait is for the whole.
        AtomicBoolean isError = new AtomicBoolean();
        HttpResponse<Long> response = await(HttpClients.send(base, client, request, answer -> {
            BodySubscriber<Long> body = receiver.body(answer);
            isError.set(body == null);
            return body == null ? new BoundedBody(error, ERROR_LIMIT) : body;
        }), limit);
        if (isError.get()) {
            throw refused(response.statusCode(), error.toByteArray());
        }
        return new Answer(response.statusCode(), response.headers().firstValue("ETag").orElse(null), response.headers().firstValue("Content-Encoding").filter("gzip"::equals).isPresent());
    }

    /** Waits for the header of an answer only; its body is the caller's to read and to close. */
    EventFeed open(HttpRequest request) {
        ByteArrayOutputStream error = new ByteArrayOutputStream();
        HttpResponse<EventBody> response = await(HttpClients.send(base, client, request, info -> isGood(info.statusCode()) ? new EventBody()
                : BodySubscribers.mapping(new BoundedBody(error, ERROR_LIMIT), octets -> null)), ERROR_LIMIT);
        if (!isGood(response.statusCode())) {
            throw refused(response.statusCode(), error.toByteArray());
        }
        if (response.headers().firstValue("Content-Type").filter(type -> type.startsWith("text/event-stream")).isEmpty()) {
            response.body().cancel();
            throw new AnepException(unreachable, base + " answers, but not with events");
        }
        return new EventFeed(response.body(), base, timeout, unreachable);
    }

    /**
     * The same for any answer, good or bad.
     *
     * @param progress grows with what comes and goes
     * @param silence  the longest time in which nothing comes or goes
     */
    HttpResponse<Long> any(HttpRequest request, LongSupplier limit, Function<ResponseInfo, BodySubscriber<Long>> receiver, LongSupplier progress, Duration silence) {
        CompletableFuture<HttpResponse<Long>> pending = HttpClients.send(base, client, request, receiver::apply);
        long start = System.nanoTime();
        long since = start;
        long last = progress.getAsLong();
        while (true) {
            long left = timeout.toNanos() - (System.nanoTime() - start);
            long quiet = silence.toNanos() - (System.nanoTime() - since);
            try {
                return pending.get(Math.max(1, Math.min(left, quiet)), TimeUnit.NANOSECONDS);
            } catch (ExecutionException e) {
                throw failed(e.getCause(), limit.getAsLong());
            } catch (TimeoutException e) {
                long now = progress.getAsLong();
                if (now == last || left <= quiet) {
                    pending.cancel(true);
                    throw new AnepException(unreachable, base + (left <= quiet ? " has not answered to the end within " + timeout.toMillis() + " ms"
                            : " has been silent for " + silence.toMillis() + " ms"), e);
                }
                last = now;
                since = System.nanoTime();
            } catch (InterruptedException e) {
                throw interrupted(pending, e);
            }
        }
    }

    private AnepException interrupted(CompletableFuture<?> pending, InterruptedException e) {
        pending.cancel(true);
        Thread.currentThread().interrupt();
        return new AnepException(unreachable, "interrupted while waiting for " + base, e);
    }

    private <T> HttpResponse<T> await(CompletableFuture<HttpResponse<T>> pending, long limit) {
        try {
            return pending.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw failed(e.getCause(), limit);
        } catch (TimeoutException e) {
            pending.cancel(true);
            throw new AnepException(unreachable, base + " did not answer within " + timeout.toMillis() + " ms", e);
        } catch (InterruptedException e) {
            throw interrupted(pending, e);
        }
    }

    private static boolean isGood(int status) {
        return status / 100 == 2 || status == 304;
    }

    /** The error that a server described, or one that fits the status if it described none. */
    private AnepException refused(int status, byte[] body) {
        try {
            JsonNode error = MAPPER.readTree(body);
            String code = error.path("code").asText("");
            if (code.matches("EE-\\d{3}")) {
                return new AnepException(ErrorCode.of(Integer.parseInt(code.substring(3))), error.path("message").asText(""));
            }
        } catch (IOException e) {
            String text = new String(body, 0, Math.min(body.length, 80), StandardCharsets.UTF_8);
            return new AnepException(codeOf(status), base + " answers " + status + ": " + text, e);
        }
        return new AnepException(codeOf(status), base + " answers " + status);
    }

    private ErrorCode codeOf(int status) {
        return switch (status) {
            case 401, 403 -> ErrorCode.NOT_AUTHORISED;
            case 404, 410 -> ErrorCode.NOT_FOUND;
            case 413 -> ErrorCode.TOO_LARGE;
            default -> unreachable;
        };
    }

    /** The JDK's client says nothing of why a connection was not made. */
    static String reason(Throwable cause) {
        if (cause instanceof SocketException && cause.getMessage() != null && cause.getMessage().startsWith("No such file")) {
            return "nothing listens there";
        }
        if (cause.getMessage() != null) {
            return cause.getMessage();
        }
        if (cause instanceof ConnectException) {
            return cause.getCause() instanceof UnresolvedAddressException ? "its host has no address" : "nothing takes connections there";
        }
        return cause.getClass().getSimpleName();
    }

    AnepException tooLong(long limit, Throwable cause) {
        return new AnepException(ErrorCode.TOO_LARGE, base + " sends more than the " + limit + " octets that are allowed", cause);
    }

    private AnepException failed(Throwable cause, long limit) {
        for (Throwable e = cause; e != null; e = e.getCause()) {
            if (e instanceof AnepException known) {
                // Whoever takes the body has refused the answer.
                return known;
            }
            if (e instanceof BoundedBody.TooLong) {
                return tooLong(limit, cause);
            }
            if (e instanceof BoundedBody.CannotKeep || e instanceof UncheckedIOException) {
                return new AnepException(ErrorCode.STORAGE, "what " + base + " sends cannot be written: " + e.getMessage(), cause);
            }
        }
        if (cause instanceof ProtocolException || String.valueOf(cause.getMessage()).startsWith("parsing HTTP")) {
            // The client's own words repeat what came, control characters and all.
            return new AnepException(unreachable, "what listens at " + base + " speaks no HTTP: is it another port, such as that of streams?", cause);
        }
        return new AnepException(unreachable, base + " cannot be reached: " + reason(cause), cause);
    }
}
