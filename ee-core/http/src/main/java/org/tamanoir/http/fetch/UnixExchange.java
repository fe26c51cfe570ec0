package org.tamanoir.http.fetch;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ProtocolException;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.Semaphore;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLSession;

/**
 * One request over a Unix socket, which the JDK's client does not speak. It takes that client's requests and body handlers, and speaks HTTP/1.0:
 * one connection for each request, a body that ends with its length or with the connection. On a thread of its own, which waits.
 */
final class UnixExchange<T> implements Runnable, Flow.Subscription {
    private static final int MOST_HEAD = 64 << 10;
    private static final int PIECE = 16 << 10;
    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] (\\d{3})( .*)?");

    private final Path socket;
    private final HttpRequest request;
    private final HttpResponse.BodyHandler<T> handler;
    private final CompletableFuture<HttpResponse<T>> answer = new CompletableFuture<>();
    /** Pieces of the body that the subscriber has asked for. */
    private final Semaphore wanted = new Semaphore(0);
    private volatile boolean cancelled;
    private volatile SocketChannel channel;

    private UnixExchange(Path socket, HttpRequest request, HttpResponse.BodyHandler<T> handler) {
        this.socket = socket;
        this.request = request;
        this.handler = handler;
    }

    /** As {@link HttpClient#sendAsync}; giving the answer up ends the connection. */
    static <T> CompletableFuture<HttpResponse<T>> send(Path socket, HttpRequest request, HttpResponse.BodyHandler<T> handler) {
        UnixExchange<T> exchange = new UnixExchange<>(socket, request, handler);
        Thread thread = new Thread(exchange, "tamanoir-unix-http");
        thread.setDaemon(true);
        thread.start();
        exchange.answer.whenComplete((response, error) -> {
            if (exchange.answer.isCancelled()) {
                exchange.cancel();
            }
        });
        return exchange.answer;
    }

    @Override
    public void run() {
        try (SocketChannel open = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            channel = open;
            if (answer.isCancelled()) {
                return;
            }
            InputStream in = new BufferedInputStream(Channels.newInputStream(open), PIECE);
            // A server that refuses may answer and close before it has read a body: what it says counts.
            IOException unsent = write(Channels.newOutputStream(open));
            Head head;
            try {
                head = Head.read(in);
            } catch (IOException e) {
                throw unsent == null ? e : unsent;
            }
            receive(head, in);
        } catch (IOException | RuntimeException e) {
            answer.completeExceptionally(e);
        }
    }

    private IOException write(OutputStream out) {
        StringBuilder text = new StringBuilder(request.method()).append(' ').append(request.uri().getRawPath());
        text.append(request.uri().getRawQuery() == null ? "" : "?" + request.uri().getRawQuery()).append(" HTTP/1.0\r\nHost: localhost\r\n");
        request.headers().map().forEach((name, values) -> values.forEach(value -> text.append(name).append(": ").append(value).append("\r\n")));
        request.bodyPublisher().filter(body -> body.contentLength() >= 0).ifPresent(body -> text.append("Content-Length: ").append(body.contentLength())
                .append("\r\n"));
        try {
            out.write(text.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
            if (request.bodyPublisher().isPresent()) {
                Upload upload = new Upload(out);
                request.bodyPublisher().get().subscribe(upload);
                upload.ended.join();
                return upload.error;
            }
            return null;
        } catch (IOException e) {
            return e;
        }
    }

    private void receive(Head head, InputStream in) throws IOException {
        HttpResponse.BodySubscriber<T> body = handler.apply(head);
        body.getBody().whenComplete((value, error) -> {
            if (error != null) {
                answer.completeExceptionally(error);
            } else {
                answer.complete(new Answer<>(request, head, value));
            }
        });
        body.onSubscribe(this);
        try {
            long left = head.length(request.method());
            byte[] piece = new byte[PIECE];
            while (left != 0) {
                wanted.acquire();
                if (cancelled) {
                    return;
                }
                int n = in.read(piece, 0, left < 0 ? PIECE : (int) Math.min(PIECE, left));
                if (n < 0 && left > 0) {
                    throw new EOFException("the answer ended " + left + " octets too early");
                }
                if (n < 0) {
                    break;
                }
                left -= left < 0 ? 0 : n;
                body.onNext(List.of(ByteBuffer.wrap(piece.clone(), 0, n)));
            }
            body.onComplete();
        } catch (IOException e) {
            body.onError(e);
        } catch (InterruptedException e) {
            body.onError(e);
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void request(long n) {
        wanted.release((int) Math.min(n, 1 << 20));
    }

    @Override
    public void cancel() {
        cancelled = true;
        wanted.release();
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            answer.completeExceptionally(e);
        }
    }

    /** Writes what a publisher has. */
    private static final class Upload implements Flow.Subscriber<ByteBuffer> {
        private final CompletableFuture<Void> ended = new CompletableFuture<>();
        private final OutputStream out;
        private volatile IOException error;
        private Flow.Subscription subscription;

        Upload(OutputStream out) {
            this.out = out;
        }

        @Override
        public void onSubscribe(Flow.Subscription newSubscription) {
            subscription = newSubscription;
            subscription.request(1);
        }

        @Override
        public void onNext(ByteBuffer octets) {
            byte[] piece = new byte[octets.remaining()];
            octets.get(piece);
            try {
                out.write(piece);
                subscription.request(1);
            } catch (IOException e) {
                error = e;
                subscription.cancel();
                ended.complete(null);
            }
        }

        @Override
        public void onError(Throwable cause) {
            error = cause instanceof IOException io ? io : new IOException(cause);
            ended.complete(null);
        }

        @Override
        public void onComplete() {
            ended.complete(null);
        }
    }

    /** Status and fields of an answer. */
    private record Head(int statusCode, HttpHeaders headers) implements HttpResponse.ResponseInfo {
        static Head read(InputStream in) throws IOException {
            int[] left = {MOST_HEAD};
            Matcher status = STATUS.matcher(line(in, left));
            if (!status.matches()) {
                throw new ProtocolException("no HTTP status");
            }
            Map<String, List<String>> fields = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
            for (String line = line(in, left); !line.isEmpty(); line = line(in, left)) {
                int colon = line.indexOf(':');
                if (colon < 1) {
                    throw new ProtocolException("no header field");
                }
                fields.computeIfAbsent(line.substring(0, colon), name -> new ArrayList<>()).add(line.substring(colon + 1).strip());
            }
            return new Head(Integer.parseInt(status.group(1)), HttpHeaders.of(fields, (name, value) -> true));
        }

        private static String line(InputStream in, int[] left) throws IOException {
            StringBuilder line = new StringBuilder();
            for (int octet = in.read(); octet != '\n'; octet = in.read()) {
                if (octet < 0) {
                    throw new EOFException("the connection ended without an answer");
                }
                if (--left[0] < 0) {
                    throw new ProtocolException("the header is too long");
                }
                line.append((char) octet);
            }
            return line.toString().stripTrailing();
        }

        /** Octets of the body; negative if it ends with the connection. */
        long length(String method) throws ProtocolException {
            if (method.equals("HEAD") || statusCode == 204 || statusCode == 304) {
                return 0;
            }
            try {
                return headers.firstValueAsLong("Content-Length").orElse(-1);
            } catch (NumberFormatException e) {
                throw new ProtocolException("no length");
            }
        }

        @Override
        public HttpClient.Version version() {
            return HttpClient.Version.HTTP_1_1;
        }
    }

    private record Answer<T>(HttpRequest request, Head head, T body) implements HttpResponse<T> {
        @Override
        public int statusCode() {
            return head.statusCode();
        }

        @Override
        public Optional<HttpResponse<T>> previousResponse() {
            return Optional.empty();
        }

        @Override
        public HttpHeaders headers() {
            return head.headers();
        }

        @Override
        public Optional<SSLSession> sslSession() {
            return Optional.empty();
        }

        @Override
        public URI uri() {
            return request.uri();
        }

        @Override
        public HttpClient.Version version() {
            return head.version();
        }
    }
}
