package org.tamanoir.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * What a {@link Handler} answers. {@link #header} and {@link #etag} change the response they are called on and return it.
 *
 * <p>A response with an entity tag becomes 304 without a body when the request's {@code If-None-Match} names the tag.
 */
public final class Response {
    /** Shared by every response: it writes fields in their order of declaration and dates as text. */
    private static final ObjectMapper MAPPER = new ObjectMapper();
    /** Octets of events that wait for one listener. */
    private static final int PENDING = 64 << 10;

    /** What follows the header. */
    sealed interface Body permits Octets, OpenFile, Events, Later {
    }

    record Octets(byte[] octets) implements Body {
    }

    record OpenFile(FileChannel channel, long size) implements Body {
    }

    record Events(Consumer<EventStream> source, boolean heartbeats, int bound) implements Body {
    }

    record Later(CompletionStage<Response> response) implements Body {
    }

    private final int status;
    private final String type;
    private final Body body;
    private final List<Map.Entry<String, String>> headers = new ArrayList<>();
    private String etag;

    private Response(int status, String type, Body body) {
        this.status = status;
        this.type = type;
        this.body = body;
    }

    /** 200 with any value that Jackson can write. */
    public static Response json(Object value) {
        return json(200, value);
    }

    public static Response json(int status, Object value) {
        try {
            return bytes(status, "application/json", MAPPER.writeValueAsBytes(value));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a response cannot be written as JSON", e);
        }
    }

    public static Response text(String text) {
        return bytes(200, "text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
    }

    /** The array is not copied and must not change any more. */
    public static Response bytes(int status, String type, byte[] octets) {
        return new Response(status, type, new Octets(octets));
    }

    /** 204. */
    public static Response empty() {
        return new Response(204, null, new Octets(new byte[0]));
    }

    /**
     * 200 with a file, which goes from the page cache to the socket without a copy. The file is opened here and may be removed while it is
     * sent; it must not be cut short. A request for a range of it is answered with 206 or 416.
     */
    public static Response file(Path path, String type) throws IOException {
        return file(FileChannel.open(path, StandardOpenOption.READ), type);
    }

    /** The same with a file that is open, and is closed when it has been sent, or not. */
    public static Response file(FileChannel channel, String type) throws IOException {
        try {
            return new Response(200, type, new OpenFile(channel, channel.size()));
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /**
     * 200 with server-sent events. {@code source} is called once, when the header has been sent; it keeps the stream and sends to it
     * from any thread until it is closed. It holds no worker meanwhile.
     */
    public static Response events(Consumer<EventStream> source) {
        return events(source, PENDING);
    }

    /** The same, of which so many octets may wait for a listener before it loses events. */
    public static Response events(Consumer<EventStream> source, int bound) {
        return new Response(200, "text/event-stream", new Events(source, true, bound));
    }

    /** The same with text of any form, which {@link EventStream#text} sends: for answers that come bit by bit. */
    public static Response text(int status, String type, Consumer<EventStream> source) {
        return new Response(status, type, new Events(source, false, PENDING));
    }

    /**
     * What another thread answers some time: nothing of the server is held by a request that waits but its connection. Whoever completes it must do so in the end,
     * also when the client has gone.
     *
     * @param response an AnepException becomes an error response, as one that a handler throws
     */
    public static Response later(CompletionStage<Response> response) {
        return new Response(200, null, new Later(response));
    }

    public Response header(String name, String value) {
        headers.add(Map.entry(name, value));
        return this;
    }

    /** @param tag without quotes: letters, digits, dashes */
    public Response etag(String tag) {
        etag = '"' + tag + '"';
        return this;
    }

    int status() {
        return status;
    }

    String type() {
        return type;
    }

    Body body() {
        return body;
    }

    List<Map.Entry<String, String>> headers() {
        return headers;
    }

    /** With its quotes, or null. */
    String etag() {
        return etag;
    }

    /** RFC 9110 section 13.1.2: compared weakly, {@code *} names every tag. */
    boolean isNamedBy(String ifNoneMatch) {
        if (etag == null || ifNoneMatch == null || status != 200) {
            return false;
        }
        for (String candidate : ifNoneMatch.split(",")) {
            String tag = candidate.strip();
            if (tag.equals("*") || tag.equals(etag) || tag.equals("W/" + etag)) {
                return true;
            }
        }
        return false;
    }

    /** Gives back what the body holds, if it is not sent. */
    void discard() {
        if (body instanceof OpenFile open) {
            try {
                open.channel.close();
            } catch (IOException e) {
                throw new IllegalStateException("a file that was only read cannot be closed", e);
            }
        }
    }
}
