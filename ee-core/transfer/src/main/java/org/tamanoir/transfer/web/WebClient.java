package org.tamanoir.transfer.web;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Asks web servers. It follows redirects, as storage systems send whoever asks to the machine that has the file, and shows what proves who asks to the first
 * server alone. Immutable, for any number of threads.
 */
public final class WebClient {
    private static final Duration CONNECT = Duration.ofSeconds(10);
    /** For an answer without a body, and for words of one with an error. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int MOST_REDIRECTS = 5;
    private static final int MOST_WORDS = 200;
    private static final List<String> PROOFS = List.of("authorization", "cookie");
    private static final Pattern PART = Pattern.compile("bytes (\\d{1,18})-(\\d{1,18})/(\\d{1,18})");
    private static final Pattern NO_PART = Pattern.compile("bytes \\*/(\\d{1,18})");
    private static final long OTHER_STALL = 15_000_000_000L;
    /** The JDK's client (17) keeps the words of an answer to itself that came in the place of 100 Continue: they may never come. */
    private static final long STALL_AFTER_PUT = 1_000_000_000L;

    /** The octets of a request. @param length how many @param octets gives them, again where a server sends it to another one */
    public record Content(long length, Supplier<BodyPublisher> octets) {
    }

    private final HttpClient client;
    private final Map<String, String> fields;

    private WebClient(HttpClient client, Map<String, String> fields) {
        this.client = client;
        this.fields = fields;
    }

    /** @param tls who this program is and whom it believes; null for the JDK's authorities. Keep it: each has threads and connections */
    public static WebClient of(SSLContext tls) {
        HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).followRedirects(HttpClient.Redirect.NEVER).connectTimeout(CONNECT);
        return new WebClient((tls == null ? builder : builder.sslContext(tls)).build(), Map.of());
    }

    /** With further fields in each request, such as {@code Authorization}. @throws AnepException EE-408 for one that a client may not set */
    public WebClient with(Map<String, String> more) {
        Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        all.putAll(fields);
        all.putAll(more);
        more.forEach((name, value) -> {
            try {
                HttpRequest.newBuilder().header(name, value);
            } catch (IllegalArgumentException e) {
                throw new AnepException(ErrorCode.BAD_REQUEST, "no request can have the field '" + name + "': " + e.getMessage(), e);
            }
        });
        return new WebClient(client, all);
    }

    /**
     * Sends a request and waits for the head of the answer; whoever calls closes the body. An error status is not an exception.
     *
     * @throws AnepException EE-204 if there is no answer within a minute, EE-211 if the connection fails
     */
    public HttpResponse<Incoming> send(String method, URI uri, Map<String, String> more, Content content) throws InterruptedException {
        return await(begin(method, uri, more, content), uri, PATIENCE);
    }

    /** Begins to send a request. */
    public CompletableFuture<HttpResponse<Incoming>> begin(String method, URI uri, Map<String, String> more, Content content) {
        Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        all.put("Accept-Encoding", "identity");
        all.putAll(fields);
        all.putAll(more);
        return begin(method, uri, all, content, MOST_REDIRECTS);
    }

    private CompletableFuture<HttpResponse<Incoming>> begin(String method, URI uri, Map<String, String> all, Content content, int redirects) {
        HttpRequest.Builder builder;
        try {
            builder = HttpRequest.newBuilder(uri).method(method, content == null ? BodyPublishers.noBody() : publisher(content)).expectContinue(content != null);
            all.forEach(builder::header);
        } catch (IllegalArgumentException e) {
            return CompletableFuture.failedFuture(new AnepException(ErrorCode.BAD_REQUEST, "'" + uri + "' cannot be asked: " + e.getMessage(), e));
        }
        CompletableFuture<HttpResponse<Incoming>> sent = client.sendAsync(builder.build(), answer -> new Incoming());
        return sent.thenCompose(answer -> {
            String location = answer.headers().firstValue("Location").orElse(null);
            if (!List.of(301, 302, 303, 307, 308).contains(answer.statusCode()) || location == null) {
                return CompletableFuture.completedFuture(answer);
            }
            answer.body().close();
            URI next = next(uri, location);
            if (next == null || redirects == 0 || uri.getScheme().equals("https") && !next.getScheme().equals("https")) {
                return CompletableFuture.failedFuture(new AnepException(ErrorCode.WEB_ANSWER, "'" + uri + "' sends whoever asks to '" + location + "', and nobody follows"));
            }
            Map<String, String> kept = new HashMap<>(all);
            if (!origin(next).equals(origin(uri))) {
                kept.keySet().removeIf(name -> PROOFS.contains(name.toLowerCase(Locale.ROOT)));
            }
            return begin(method, next, kept, content, redirects - 1);
        });
    }

    private static BodyPublisher publisher(Content content) {
        return content.length() == 0 ? BodyPublishers.noBody() : BodyPublishers.fromPublisher(content.octets().get(), content.length());
    }

    private static URI next(URI uri, String location) {
        try {
            URI next = uri.resolve(location);
            return ("http".equals(next.getScheme()) || "https".equals(next.getScheme())) && next.getHost() != null ? next : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static String origin(URI uri) {
        return uri.getScheme() + "://" + uri.getAuthority();
    }

    /** The answer. @throws AnepException EE-204 if there is none for so long, EE-211 if the connection fails */
    public static HttpResponse<Incoming> await(CompletableFuture<HttpResponse<Incoming>> pending, URI uri, Duration patience) throws InterruptedException {
        try {
            return pending.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof AnepException known ? known : unreachable(uri, e.getCause());
        } catch (TimeoutException e) {
            drop(pending);
            throw new AnepException(ErrorCode.UNREACHABLE, "'" + shown(uri) + "' has not answered for " + patience.toSeconds() + " s", e);
        } catch (InterruptedException e) {
            drop(pending);
            throw e;
        }
    }

    /** Gives up a request that was begun, whether its answer has come or not. */
    public static void drop(CompletableFuture<HttpResponse<Incoming>> pending) {
        pending.whenComplete((answer, failure) -> {
            if (answer != null) {
                answer.body().close();
            }
        });
        pending.cancel(true);
    }

    private static AnepException unreachable(URI uri, Throwable cause) {
        Throwable deepest = cause;
        while (deepest.getCause() != null && deepest.getMessage() == null) {
            deepest = deepest.getCause();
        }
        String why = deepest instanceof UnresolvedAddressException ? "its host has no address" : deepest instanceof ConnectException && deepest.getMessage() == null
                ? "nothing takes connections there" : deepest.getMessage() == null ? deepest.getClass().getSimpleName() : deepest.getMessage();
        return new AnepException(ErrorCode.UNREACHABLE, "'" + shown(uri) + "' cannot be reached: " + why, cause);
    }

    /** A URL for messages and logs: what a query or a user has in it may be a secret. */
    static String shown(URI uri) {
        return uri.getScheme() + "://" + uri.getHost() + (uri.getPort() < 0 ? "" : ":" + uri.getPort()) + uri.getRawPath();
    }

    /** Why an answer is not what was asked for. Closes its body. */
    public static AnepException refused(URI uri, HttpResponse<Incoming> answer) throws InterruptedException {
        int status = answer.statusCode();
        String text = "'" + shown(uri) + "' answers " + status + words(answer);
        return new AnepException(switch (status) {
            case 401, 403 -> ErrorCode.NOT_AUTHORISED;
            case 404, 410 -> ErrorCode.NOT_FOUND;
            case 412 -> ErrorCode.SOURCE_CHANGED;
            case 408, 429, 500, 502, 503, 504 -> ErrorCode.UNREACHABLE;
            default -> ErrorCode.WEB_ANSWER;
        }, text);
    }

    private static String words(HttpResponse<Incoming> answer) throws InterruptedException {
        try (Incoming body = answer.body()) {
            boolean text = answer.headers().firstValue("Content-Type").filter(type -> type.startsWith("text/plain") || type.startsWith("application/json")).isPresent();
            ByteBuffer words = ByteBuffer.allocate(MOST_WORDS);
            body.take(words, answer.request().expectContinue() ? STALL_AFTER_PUT : OTHER_STALL);
            return text && words.position() > 0 ? ": " + new String(words.array(), 0, words.position(), StandardCharsets.UTF_8).replaceAll("\\p{Cntrl}+", " ").strip() : "";
        } catch (AnepException e) {
            return "";
        }
    }

    /**
     * What a server says of a file; it is asked for the first octet, as not every server that gives files answers HEAD.
     *
     * @throws AnepException EE-407 if it is not there, EE-406 if it is not for us, EE-771 if it cannot be copied
     */
    public WebFile find(URI uri) throws InterruptedException {
        HttpResponse<Incoming> answer = send("GET", uri, Map.of("Range", "bytes=0-0"), null);
        try (Incoming body = answer.body()) {
            if (answer.headers().firstValue("Content-Encoding").filter(coding -> !coding.equalsIgnoreCase("identity")).isPresent()) {
                throw new AnepException(ErrorCode.WEB_ANSWER, "'" + shown(uri) + "' is sent compressed, though that was not asked for");
            }
            if (answer.statusCode() == 206) {
                Matcher part = PART.matcher(answer.headers().firstValue("Content-Range").orElse(""));
                if (!part.matches() || Long.parseLong(part.group(1)) != 0 || Long.parseLong(part.group(2)) != 0) {
                    throw new AnepException(ErrorCode.WEB_ANSWER, "'" + shown(uri) + "' does not say which part of the file it sends");
                }
                body.isOver(OTHER_STALL);
                body.isOver(OTHER_STALL);
                return WebFile.of(uri, answer.headers(), Long.parseLong(part.group(3)), true);
            } else if (answer.statusCode() == 416) {
                Matcher none = NO_PART.matcher(answer.headers().firstValue("Content-Range").orElse(""));
                if (none.matches() && Long.parseLong(none.group(1)) == 0) {
                    return WebFile.of(uri, answer.headers(), 0, true);
                }
            } else if (answer.statusCode() == 200) {
                OptionalLong length = answer.headers().firstValueAsLong("Content-Length");
                if (length.isEmpty()) {
                    throw new AnepException(ErrorCode.WEB_ANSWER, "'" + shown(uri) + "' does not say how long the file is");
                }
                return WebFile.of(uri, answer.headers(), length.getAsLong(), false);
            }
            throw refused(uri, answer);
        }
    }

    /**
     * A checksum of a file as its server knows it, RFC 3230 or RFC 9530.
     *
     * @param algorithm {@code adler32} or {@code sha-256}
     * @return in hexadecimal; null if the server says none
     * @throws AnepException EE-752 if it is another file by now
     */
    public String checksum(WebFile file, String algorithm) throws InterruptedException {
        Map<String, String> asked = new HashMap<>(file.unchanged());
        asked.put("Want-Digest", algorithm);
        asked.put("Want-Repr-Digest", (algorithm.equals("adler32") ? "adler" : algorithm) + "=1");
        // It may have to read the whole file first.
        HttpResponse<Incoming> answer = await(begin("HEAD", file.uri(), asked, null), file.uri(), Duration.ofMinutes(30));
        answer.body().close();
        if (answer.statusCode() == 412 || answer.statusCode() / 100 == 2 && !file.isSame(answer.headers())) {
            throw new AnepException(ErrorCode.SOURCE_CHANGED, "'" + shown(file.uri()) + "' has changed since the copy began");
        }
        return answer.statusCode() / 100 == 2 ? Digests.found(answer.headers().map(), algorithm) : null;
    }

    /** Why an answer to the request for a part of a file is not that part; null if it is. */
    public static AnepException unlike(WebFile file, long first, long length, HttpResponse<Incoming> answer) throws InterruptedException {
        if (answer.statusCode() != (file.ranges() ? 206 : 200)) {
            return answer.statusCode() / 100 == 2 || answer.statusCode() == 416
                    ? new AnepException(ErrorCode.SOURCE_CHANGED, "'" + shown(file.uri()) + "' gave parts of the file when the copy began, and now answers " + answer.statusCode())
                    : refused(file.uri(), answer);
        }
        boolean asAsked = file.ranges() ? answer.headers().firstValue("Content-Range").orElse("").equals("bytes " + first + "-" + (first + length - 1) + "/" + file.stamp().size())
                : answer.headers().firstValueAsLong("Content-Length").orElse(-1) == file.stamp().size();
        return asAsked && file.isSame(answer.headers()) ? null : new AnepException(ErrorCode.SOURCE_CHANGED, "'" + shown(file.uri()) + "' has changed since the copy began");
    }
}
