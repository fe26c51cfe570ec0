package org.tamanoir.http;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** One request, whole: its body has arrived when a {@link Handler} sees it. */
public final class Request {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final HttpRequest head;
    private final Caller caller;
    private final QueryStringDecoder uri;
    private final Routes.Match match;
    private byte[] body = new byte[0];
    private Path file;
    private BodyTaker taker;
    private String who = "nobody known";

    private Request(HttpRequest head, Caller caller, QueryStringDecoder uri, Routes.Match match) {
        this.head = head;
        this.caller = caller;
        this.uri = uri;
        this.match = match;
    }

    static Request of(HttpRequest head, Caller caller, Routes routes) {
        QueryStringDecoder uri = new QueryStringDecoder(originForm(head.uri()));
        return new Request(head, caller, uri, routes.find(head.method().name(), uri.rawPath()));
    }

    /** The path and query of a request target; RFC 9112 section 3.2.2 has servers take the absolute form too. */
    private static String originForm(String target) {
        if (!target.startsWith("http://") && !target.startsWith("https://")) {
            return target;
        }
        int path = target.indexOf('/', target.indexOf("//") + 2);
        return path < 0 ? "/" : target.substring(path);
    }

    Route route() {
        return match.route();
    }

    HttpRequest head() {
        return head;
    }

    void setBody(byte[] octets) {
        body = octets;
    }

    void setTaker(BodyTaker newTaker) {
        taker = newTaker;
    }

    void setFile(Path path) {
        file = path;
    }

    /** {@code GET}, {@code PUT}, … */
    public String method() {
        return head.method().name();
    }

    /** Path and query as they were sent. */
    public String target() {
        return head.uri();
    }

    /** The path as it was sent, still escaped, without the query. */
    public String path() {
        return uri.rawPath();
    }

    /** Whoever is at the other end of the connection. */
    public Caller caller() {
        return caller;
    }

    /** Who asks, as far as the route's {@link AccessRoles} has found out, in words. */
    public String who() {
        return who;
    }

    void setWho(String words) {
        who = words;
    }

    /** What stands in the hole {@code {name}} of the route's path: decoded, not empty, without a slash; in {@code {name*}} segments with slashes between them, or nothing. */
    public String parameter(String name) {
        String value = match.parameters().get(name);
        if (value == null) {
            throw new IllegalArgumentException("the route has no parameter " + name);
        }
        return value;
    }

    /**
     * The first value of a query parameter.
     *
     * @throws AnepException EE-408 if the query has a bad escape
     */
    public Optional<String> query(String name) {
        try {
            List<String> values = uri.parameters().get(name);
            return values == null ? Optional.empty() : Optional.of(values.get(0));
        } catch (IllegalArgumentException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "the query has a bad escape");
        }
    }

    /**
     * The first value of each query parameter, by name.
     *
     * @throws AnepException EE-408 if the query has a bad escape
     */
    public Map<String, String> queries() {
        try {
            Map<String, String> values = new LinkedHashMap<>();
            uri.parameters().forEach((name, all) -> values.put(name, all.get(0)));
            return values;
        } catch (IllegalArgumentException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "the query has a bad escape");
        }
    }

    /** The value of a header field, whatever the case of its name. */
    public Optional<String> header(String name) {
        return Optional.ofNullable(head.headers().get(name));
    }

    /** All fields, in their order. */
    public Iterable<Map.Entry<String, String>> headers() {
        return head.headers();
    }

    /** The body of a route without {@link Route#uploads}; empty if there was none. Not a copy. */
    public byte[] body() {
        return body;
    }

    /**
     * The body as JSON.
     *
     * @throws AnepException EE-408 if it is none, or not one of this type
     */
    public <T> T json(Class<T> type) {
        try {
            T value = MAPPER.readValue(body, type);
            if (value == null) {
                throw new AnepException(ErrorCode.BAD_REQUEST, "the body is null");
            }
            return value;
        } catch (IOException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "the body is not the JSON that is expected here");
        }
    }

    /** What has taken the body of a route with {@link Route#taking}. */
    public <T extends BodyTaker> T taker(Class<T> type) {
        return type.cast(taker);
    }

    /** The body of a route with {@link Route#uploads}; an empty file if there was none. */
    public Path file() {
        if (file == null) {
            throw new IllegalStateException("the route keeps bodies in memory");
        }
        return file;
    }
}
