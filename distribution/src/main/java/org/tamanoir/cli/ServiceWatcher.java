package org.tamanoir.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.EventFeed;
import org.tamanoir.http.fetch.EventFeed.Event;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.http.fetch.PlainJson;

/** Prints what a node says of its services as it happens, a line for each change. */
final class ServiceWatcher {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS").withZone(ZoneId.systemDefault());

    private final HttpFetch node;
    private final PrintWriter out;
    private final boolean json;

    ServiceWatcher(HttpFetch node, PrintWriter out, boolean json) {
        this.node = node;
        this.out = out;
        this.json = json;
    }

    /**
     * Prints until nobody reads any more.
     *
     * @throws AnepException EE-204 when the node has gone or stopped
     */
    void run() {
        try (EventFeed feed = node.events("/events")) {
            for (Event event = feed.next(); event != null; event = feed.next()) {
                if (event.name().equals("service")) {
                    print(event.data());
                }
                // A pipe whose other end is closed is the end, not an error.
                if (out.checkError()) {
                    return;
                }
            }
        }
        throw new AnepException(ErrorCode.UNREACHABLE, node.base() + " has stopped and sends no more events");
    }

    private void print(String data) {
        try {
            JsonNode change = PlainJson.read(data);
            out.println(json ? MAPPER.writeValueAsString(change) : line(change));
        } catch (JsonProcessingException e) {
            throw new AnepException(ErrorCode.UNREACHABLE, node.base() + " sends events, but not as a node does", e);
        }
    }

    private static String line(JsonNode change) {
        StringBuilder line = new StringBuilder(time(change.path("time"))).append("  ").append(change.path("typeId").asText());
        for (String field : new String[] {"name", "version"}) {
            line.append(change.hasNonNull(field) ? " " + change.path(field).asText() : "");
        }
        line.append("  ").append(change.hasNonNull("from") ? change.path("from").asText() + " -> " : "").append(change.path("to").asText());
        line.append(change.hasNonNull("source") ? "  from " + change.path("source").asText() : "");
        return line.append(change.hasNonNull("reason") ? "  " + change.path("reason").asText() : "").toString();
    }

    /** In this machine's time zone. */
    private static String time(JsonNode time) {
        try {
            return TIME.format(Instant.parse(time.asText()));
        } catch (DateTimeParseException e) {
            return time.asText();
        }
    }
}
