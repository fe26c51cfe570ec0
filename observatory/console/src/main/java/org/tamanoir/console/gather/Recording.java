package org.tamanoir.console.gather;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.zip.GZIPInputStream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.console.board.Board;

/**
 * Plays a recording at the speed at which it was made, and again from its beginning when it is over. A recording is the parts of a history, one behind the other:
 * compressed lines of JSON, a whole and then frames. For one thread.
 */
public final class Recording implements Supplier<Map<String, Map<String, Object>>>, AutoCloseable {
    private static final TypeReference<LinkedHashMap<String, Map<String, Object>>> ENTRIES = new TypeReference<>() { };
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Opens the recording at its beginning. */
    @FunctionalInterface
    public interface Source {
        InputStream open() throws IOException;
    }

    private final Source source;
    private final String name;
    private BufferedReader lines;
    private JsonNode next;
    private Map<String, Map<String, Object>> entries = new HashMap<>();
    private long beganNanos;
    private long firstTime;

    /**
     * @param name for messages
     * @throws AnepException EE-501 if it is none
     */
    public Recording(String name, Source source) {
        this.name = name;
        this.source = source;
        rewind();
    }

    private void rewind() {
        try {
            close();
            InputStream octets = new FilterInputStream(new GZIPInputStream(new BufferedInputStream(source.open()))) {
                @Override
                public int available() {
                    // A reader that is told of more asks for it, and loses what it has when the file ends there in the middle.
                    return 0;
                }
            };
            lines = new BufferedReader(new InputStreamReader(octets, StandardCharsets.UTF_8));
            next = read();
        } catch (IOException e) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, name + " cannot be read as a recording: " + AnepException.reason(e), e);
        }
        if (next == null || !next.has("all")) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, name + " is no recording of a console: it does not begin with a whole");
        }
        beganNanos = System.nanoTime();
        firstTime = next.path("time").asLong();
    }

    /** The next line; null at the end, also at one in the middle of a line, where the recording process was killed. */
    private JsonNode read() throws IOException {
        String line;
        try {
            line = lines.readLine();
        } catch (EOFException e) {
            return null;
        }
        try {
            return line == null ? null : JSON.readTree(line);
        } catch (com.fasterxml.jackson.core.JacksonException e) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, name + " is no recording of a console: " + e.getOriginalMessage(), e);
        }
    }

    @Override
    public Map<String, Map<String, Object>> get() {
        long time = firstTime + (System.nanoTime() - beganNanos) / 1_000_000;
        try {
            while (next != null && next.path("time").asLong() <= time) {
                if (next.has("all")) {
                    entries = JSON.convertValue(next.get("all"), ENTRIES);
                } else {
                    Board.apply(next, entries);
                }
                next = read();
            }
        } catch (IOException e) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, name + " cannot be read any more: " + AnepException.reason(e), e);
        }
        if (next == null) {
            rewind();
        }
        Map<String, Map<String, Object>> shown = new LinkedHashMap<>(entries);
        // What was late or old then is so now.
        shown.put("console/replayed", Map.of("name", name, "time", time));
        return shown;
    }

    @Override
    public void close() throws IOException {
        if (lines != null) {
            lines.close();
        }
    }
}
