package org.tamanoir.http.fetch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Asks one server. Immutable, for any number of threads; every call blocks and ends within the time-out, whatever the server does.
 *
 * <p>What goes wrong is an {@link AnepException}: with the code that the server gave, or with the caller's own code for "unreachable"
 * if no answer came, or EE-405 if more came than was allowed. Redirects are not followed.
 *
 * <pre>{@code
 * HttpFetch repository = HttpFetch.of("http://127.0.0.1:3325", ErrorCode.REPOSITORY_UNREACHABLE).token(token);
 * JsonNode services = repository.json("/services");
 * Download bundle = repository.toFile("/bundles/" + sha256 + ".jar", file, 64 << 20);
 * }</pre>
 */
public final class HttpFetch {
    /** The longest JSON answer. */
    private static final long JSON_LIMIT = 16 << 20;
    /** Times as long as what came. */
    private static final int MOST_UNPACKED = 8;
    private static final String UNIX = "unix";
    private static final Pattern HOST_PORT = Pattern.compile("([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+]):\\d{1,5}/?");
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final URI base;
    /** For https; null for the one that trusts the JDK's authorities. */
    private final HttpClient client;
    private final ErrorCode unreachable;
    private final String token;
    private final Duration timeout;
    private final String ifMatch;

    private HttpFetch(URI base, HttpClient client, ErrorCode unreachable, String token, Duration timeout, String ifMatch) {
        this.client = client;
        this.ifMatch = ifMatch;
        this.base = base;
        this.unreachable = unreachable;
        this.token = token;
        this.timeout = timeout;
    }

    /**
     * A client without a token and with 30 s for each call.
     *
     * @param url http or https, with or without a path in front of everything that is fetched; {@code HOST:PORT} is http; {@code unix:PATH} is a
     *     Unix socket
     * @param unreachable the code if no answer comes, or one that makes no sense
     * @throws AnepException EE-408 if it is no such URL
     */
    public static HttpFetch of(String url, ErrorCode unreachable) {
        try {
            if (url.startsWith(UNIX + ":")) {
                URI socket = new URI(UNIX, null, Path.of(url.substring(UNIX.length() + 1)).toAbsolutePath().toString(), null);
                return new HttpFetch(socket, null, unreachable, null, Duration.ofSeconds(30), null);
            }
            String whole = HOST_PORT.matcher(url).matches() ? "http://" + url : url;
            URI base = URI.create(whole.endsWith("/") ? whole.substring(0, whole.length() - 1) : whole);
            boolean http = "http".equalsIgnoreCase(base.getScheme()) || "https".equalsIgnoreCase(base.getScheme());
            if (http && base.getHost() != null && base.getRawQuery() == null && base.getRawFragment() == null) {
                return new HttpFetch(base, null, unreachable, null, Duration.ofSeconds(30), null);
            }
        } catch (IllegalArgumentException | URISyntaxException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "'" + url + "' is no URL", e);
        }
        throw new AnepException(ErrorCode.BAD_REQUEST, "'" + url + "' is no http URL");
    }

    /** With {@code Authorization: Bearer TOKEN}; null for none. */
    public HttpFetch token(String newToken) {
        return new HttpFetch(base, client, unreachable, newToken, timeout, ifMatch);
    }

    /**
     * With certificates of its own for https: who this program is, and whom it believes. Keep what comes back: each call makes a client with
     * threads and connections.
     *
     * @param tls null for the JDK's authorities; of no use where the URL is not https
     */
    public HttpFetch tls(SSLContext tls) {
        return new HttpFetch(base, tls == null || !"https".equalsIgnoreCase(base.getScheme()) ? null : HttpClients.of(tls), unreachable, token, timeout, ifMatch);
    }

    /** The longest time from the call to the last octet of the answer. */
    public HttpFetch timeout(Duration newTimeout) {
        return new HttpFetch(base, client, unreachable, token, newTimeout, ifMatch);
    }

    /** With {@code If-Match}: changes only what still has this tag, with its quotes (EE-413 otherwise); null for none. */
    public HttpFetch ifMatch(String etag) {
        return new HttpFetch(base, client, unreachable, token, timeout, etag);
    }

    /** The server's URL without a slash at the end. */
    public URI base() {
        return base;
    }

    /** Escapes a name for use as one segment of a path. */
    public static String segment(String name) {
        return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** @param path from the slash on, escaped */
    public JsonNode json(String path) {
        return parse(collect(request(path).GET(), JSON_LIMIT));
    }

    public byte[] bytes(String path, long limit) {
        return collect(request(path).GET(), limit);
    }

    /** Fetches what may not have changed since it came with {@code etag}; null for no tag. */
    public Fetched ifChanged(String path, String etag, long limit) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        Exchange.Answer answer = exchange().send(unlessIs(path, etag).build(), body, limit);
        return new Fetched(answer.status() == 304 ? Optional.empty() : Optional.of(body.toByteArray()), answer.etag());
    }

    /**
     * The same for what is long, and is read from its beginning to its end: the server may send it packed.
     *
     * @param limit  of the octets that come; unpacked they may be eight times as many
     * @param reader what it throws comes out of here; where more than that is unpacked its reading ends with EE-405
     */
    public <T> Read<T> readIfChanged(String path, String etag, long limit, Function<InputStream, T> reader) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        Exchange.Answer answer = exchange().send(unlessIs(path, etag).header("Accept-Encoding", "gzip").build(), body, limit);
        if (answer.status() == 304) {
            return new Read<>(Optional.empty(), answer.etag());
        }
        InputStream octets = new ByteArrayInputStream(body.toByteArray());
        try (InputStream in = answer.isPacked() ? new Unpacked(octets, MOST_UNPACKED * limit, () -> exchange().tooLong(MOST_UNPACKED * limit, null)) : octets) {
            return new Read<>(Optional.of(reader.apply(in)), answer.etag());
        } catch (IOException e) {
            throw new AnepException(unreachable, base + " sends what cannot be unpacked: " + e.getMessage(), e);
        }
    }

    private HttpRequest.Builder unlessIs(String path, String etag) {
        HttpRequest.Builder builder = request(path).GET();
        return etag == null ? builder : builder.header("If-None-Match", etag);
    }

    /** Listens to server-sent events; returns when the server has begun to answer. The time-out is then for each silence. */
    public EventFeed events(String path) {
        return exchange().open(request(path).header("Accept", "text/event-stream").GET().build());
    }

    /** Fetches into a file, which is made or replaced, and removed again if anything goes wrong. */
    public Download toFile(String path, Path file, long limit) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            try (OutputStream out = new DigestOutputStream(new BufferedOutputStream(Files.newOutputStream(file)), digest)) {
                exchange().send(request(path).GET().build(), out, limit);
            } catch (IOException | RuntimeException e) {
                Files.deleteIfExists(file);
                throw e;
            }
            return new Download(Files.size(file), HexFormat.of().formatHex(digest.digest()));
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "cannot write " + file + ": " + e.getMessage(), e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /**
     * Fetches what a file lacks of something that never changes, and appends it. If anything goes wrong the file keeps what has come, and
     * the next call goes on from there; a server that knows no ranges sends all of it again.
     *
     * @param file made if it is not there
     * @param etag of what the file is a part of, with its quotes: the server sends the rest only if it still has that
     * @param limit of the whole file in octets
     * @return how many octets came now
     */
    public long resume(String path, Path file, String etag, long limit) {
        return new Resumption(exchange(), file, limit).fetch(request(path).GET(), etag);
    }

    /** Sends any value as JSON with PUT. */
    public JsonNode putJson(String path, Object value) {
        return sendJson("PUT", path, value);
    }

    /**
     * Sends JSON that is written already with PUT.
     *
     * @param limit of the answer in octets
     */
    public byte[] put(String path, byte[] json, long limit) {
        return send("PUT", path, "application/json", json, limit);
    }

    /**
     * Sends octets.
     *
     * @param type  of the octets, such as {@code application/json}
     * @param limit of the answer in octets
     */
    public byte[] send(String method, String path, String type, byte[] body, long limit) {
        return collect(request(path).header("Content-Type", type).method(method, BodyPublishers.ofByteArray(body)), limit);
    }

    /** Sends a file with PUT. @throws AnepException EE-407 if there is no such file */
    public JsonNode put(String path, Path file) {
        try {
            return parse(collect(request(path).PUT(BodyPublishers.ofFile(file)), JSON_LIMIT));
        } catch (FileNotFoundException e) {
            throw new AnepException(ErrorCode.NOT_FOUND, "there is no file " + file, e);
        }
    }

    /** Sends any value as JSON with POST. */
    public JsonNode post(String path, Object value) {
        return sendJson("POST", path, value);
    }

    private JsonNode sendJson(String method, String path, Object value) {
        try {
            HttpRequest.Builder builder = request(path).header("Content-Type", "application/json")
                    .method(method, BodyPublishers.ofByteArray(MAPPER.writeValueAsBytes(value)));
            return parse(collect(builder, JSON_LIMIT));
        } catch (IOException e) {
            throw new IllegalStateException("a request cannot be written as JSON", e);
        }
    }

    public JsonNode delete(String path) {
        return parse(collect(request(path).DELETE(), JSON_LIMIT));
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create((isUnix() ? "http://localhost" : base) + path)).timeout(timeout);
        if (ifMatch != null) {
            builder.header("If-Match", ifMatch);
        }
        return token == null ? builder : builder.header("Authorization", "Bearer " + token);
    }

    private boolean isUnix() {
        return base.getScheme().equals(UNIX);
    }

    private Exchange exchange() {
        return new Exchange(base, client, timeout, unreachable);
    }

    private byte[] collect(HttpRequest.Builder request, long limit) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        exchange().send(request.build(), body, limit);
        return body.toByteArray();
    }

    /** An empty answer is a missing node. */
    private JsonNode parse(byte[] body) {
        try {
            return PlainJson.read(body);
        } catch (IOException e) {
            throw new AnepException(unreachable, base + " answers, but not as a Tamanoir server does", e);
        }
    }

    /**
     * A file that has been fetched.
     *
     * @param size in octets
     * @param sha256 of its content as it arrived, 64 hexadecimal digits in lower case
     */
    public record Download(long size, String sha256) {
    }

    /**
     * An answer that was asked for with an entity tag.
     *
     * @param body the octets; empty where the server says that nothing has changed
     * @param etag the tag of what the server has now, quotes and all; null if it gives none
     */
    public record Fetched(Optional<byte[]> body, String etag) {
    }

    /**
     * The same of what has been read already.
     *
     * @param value what the reader made of it; empty where nothing has changed
     */
    public record Read<T>(Optional<T> value, String etag) {
    }
}
