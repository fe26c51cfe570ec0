package org.tamanoir.console.board;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Everything that is shown now, by key, and the frames that led there. A frame says which fields of which entries have changed and which entries are gone; its
 * number is one more than that of the frame before, so that a reader notices that it has missed one, and asks for the whole again. For any thread.
 *
 * <pre>{@code
 * {"number": 17, "time": 1764176400000, "set": {"stream/4d/12": {"in": 1400, "state": "flowing"}}, "gone": ["stream/4d/9"]}
 * }</pre>
 */
public final class Board {
    /** Of one frame. More changes at once are several frames: a reader takes an event of up to 64 KiB. */
    static final int MOST_CHARACTERS = 24 << 10;
    /** Frames from which a reader that was away for a moment goes on. */
    static final int REMEMBERED = 120;
    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * A difference, written down.
     *
     * @param number one more than that of the frame before
     * @param time   milliseconds since 1970
     */
    public record Frame(long number, long time, String json) {
    }

    private final Deque<Frame> frames = new ArrayDeque<>();
    private Map<String, Map<String, Object>> shown = Map.of();
    private long last;
    private long time;

    /** @param first number before that of the first frame; the time of the start in milliseconds, so that the numbers of a later start are higher */
    public Board(long first) {
        last = first;
        time = first;
    }

    /**
     * Shows this from now on.
     *
     * @param entries not to be changed afterwards; the values of fields are what Jackson writes, and compared by {@code equals}. A null is a field that is not there
     * @return at least one frame, in order: also where nothing has changed, so that readers see that the feed lives
     */
    public synchronized List<Frame> show(long now, Map<String, Map<String, Object>> entries) {
        time = now;
        Map<String, Map<String, Object>> changed = new LinkedHashMap<>();
        entries.forEach((key, entry) -> {
            Map<String, Object> fields = changed(shown.getOrDefault(key, Map.of()), entry);
            if (!fields.isEmpty() || !shown.containsKey(key)) {
                changed.put(key, fields);
            }
        });
        List<String> gone = shown.keySet().stream().filter(key -> !entries.containsKey(key)).toList();
        shown = entries;
        List<Frame> made = frames(changed, gone);
        made.forEach(frames::addLast);
        while (frames.size() > REMEMBERED) {
            frames.removeFirst();
        }
        return made;
    }

    private static Map<String, Object> changed(Map<String, Object> before, Map<String, Object> now) {
        Map<String, Object> fields = new LinkedHashMap<>();
        now.forEach((name, value) -> {
            if (!Objects.equals(before.get(name), value)) {
                fields.put(name, value);
            }
        });
        before.forEach((name, value) -> {
            if (value != null && !now.containsKey(name)) {
                fields.put(name, null);
            }
        });
        return fields;
    }

    private List<Frame> frames(Map<String, Map<String, Object>> set, List<String> gone) {
        List<Frame> made = new ArrayList<>();
        Writer writer = new Writer(gone);
        for (Map.Entry<String, Map<String, Object>> entry : set.entrySet()) {
            if (writer.length() > MOST_CHARACTERS) {
                made.add(writer.frame());
                writer = new Writer(List.of());
            }
            writer.set(entry.getKey(), entry.getValue());
        }
        made.add(writer.frame());
        return made;
    }

    /** Writes one frame. */
    private final class Writer {
        private final StringWriter text = new StringWriter();
        private final JsonGenerator json;
        private boolean sets;

        Writer(List<String> gone) {
            try {
                json = JSON.createGenerator(text);
                json.writeStartObject();
                json.writeNumberField("number", ++last);
                json.writeNumberField("time", time);
                if (!gone.isEmpty()) {
                    json.writeObjectField("gone", gone);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        int length() {
            try {
                json.flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return text.getBuffer().length();
        }

        void set(String key, Map<String, Object> fields) {
            try {
                if (!sets) {
                    json.writeObjectFieldStart("set");
                    sets = true;
                }
                json.writeObjectField(key, fields);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        Frame frame() {
            try {
                json.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return new Frame(last, time, text.toString());
        }
    }

    /** The whole as it is after the last frame: {@code number}, {@code time} and {@code all}, by key. */
    public synchronized String all() {
        Map<String, Object> whole = new LinkedHashMap<>();
        whole.put("number", last);
        whole.put("time", time);
        whole.put("all", shown);
        try {
            return JSON.writeValueAsString(whole);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("what is shown cannot be written", e);
        }
    }

    /** The entries as they are after the last frame. */
    public synchronized Map<String, Map<String, Object>> entries() {
        return shown;
    }

    /** The number of the last frame. */
    public synchronized long last() {
        return last;
    }

    /** The frames after that number, in order; null if they are forgotten or it is no number of this board: then only the whole helps. */
    public synchronized List<Frame> since(long number) {
        long first = frames.isEmpty() ? last + 1 : frames.getFirst().number();
        if (number > last || number < first - 1) {
            return null;
        }
        return frames.stream().filter(frame -> frame.number() > number).toList();
    }

    /**
     * The entries after a frame, from those before it: what a reader in Java does with a frame.
     *
     * @param frame parsed
     */
    public static void apply(JsonNode frame, Map<String, Map<String, Object>> entries) {
        frame.path("gone").forEach(key -> entries.remove(key.asText()));
        frame.path("set").properties().forEach(entry -> {
            Map<String, Object> fields = new HashMap<>(entries.getOrDefault(entry.getKey(), Map.of()));
            entry.getValue().properties().forEach(field -> {
                if (field.getValue().isNull()) {
                    fields.remove(field.getKey());
                } else {
                    fields.put(field.getKey(), JSON.convertValue(field.getValue(), Object.class));
                }
            });
            entries.put(entry.getKey(), fields);
        });
    }
}
