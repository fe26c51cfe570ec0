package org.tamanoir.fleet.tree;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.MapConfiguration;

/** Reads the keys of one map, and says of a bad one where it stands. A key that nobody asked for is an error too: {@link #end}. */
public final class Fields {
    private final String where;
    private final JsonNode map;
    private final ErrorCode code;
    private final Set<String> asked = new TreeSet<>();

    /**
     * @param where what stands before a key in an error, {@code fleet.yaml: rollout}
     * @param map   null or missing for an empty one
     * @param code  of errors
     */
    public Fields(String where, JsonNode map, ErrorCode code) {
        this.where = where;
        this.code = code;
        if (map != null && !map.isMissingNode() && !map.isNull() && !map.isObject()) {
            throw new AnepException(code, where + ": it must be a section of keys and values");
        }
        this.map = map == null || !map.isObject() ? JsonNodeFactory.instance.objectNode() : map;
    }

    private JsonNode get(String key) {
        asked.add(key);
        JsonNode value = map.get(key);
        return value == null || value.isNull() ? null : value;
    }

    /** An error at a key. */
    public AnepException bad(String key, String what) {
        return new AnepException(code, at(key) + ": " + what);
    }

    private String at(String key) {
        return where.isEmpty() ? key : where.endsWith(":") ? where + " " + key : where + "." + key;
    }

    /** @return null if it is not there */
    public String text(String key) {
        JsonNode value = get(key);
        if (value != null && !value.isValueNode()) {
            throw bad(key, "it must be a text");
        }
        return value == null ? null : value.asText();
    }

    public boolean truth(String key, boolean preset) {
        String text = text(key);
        if (text != null && !text.equals("true") && !text.equals("false")) {
            throw bad(key, "it is '" + text + "'; it must be true or false");
        }
        return text == null ? preset : text.equals("true");
    }

    public long whole(String key, long preset, long least, long most) {
        String text = text(key);
        try {
            long value = text == null ? preset : Long.parseLong(text);
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw bad(key, "it is '" + text + "'; it must be from " + least + " to " + most);
    }

    /** A part: more than 0, or 0 too, and at most 1. */
    public double part(String key, double preset, boolean zero) {
        String text = text(key);
        try {
            double value = text == null ? preset : Double.parseDouble(text);
            if (value > 0 && value <= 1 || zero && value == 0) {
                return value;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw bad(key, "it is '" + text + "'; it must be " + (zero ? "from 0 to 1" : "more than 0 and at most 1"));
    }

    public Duration time(String key, Duration preset, Duration least, Duration most) {
        String text = text(key);
        Duration value;
        try {
            value = text == null ? preset : MapConfiguration.parseDuration("it", text);
        } catch (AnepException e) {
            throw bad(key, e.text());
        }
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw bad(key, "it is " + text + "; it must be from " + least.toMillis() + " ms to " + most.toSeconds() + " s");
        }
        return value;
    }

    public List<String> texts(String key) {
        List<String> texts = new ArrayList<>();
        for (JsonNode each : list(key)) {
            if (!each.isValueNode() || each.isNull()) {
                throw bad(key, "one of the list is no text");
            }
            texts.add(each.asText());
        }
        return List.copyOf(texts);
    }

    public List<JsonNode> list(String key) {
        JsonNode value = get(key);
        if (value != null && !value.isArray()) {
            throw bad(key, "it must be a list");
        }
        return value == null ? List.of() : value.valueStream().toList();
    }

    /** A section, empty if it is not there. */
    public Fields section(String key) {
        return new Fields(at(key), get(key), code);
    }

    /** A whole tree; null if it is not there. */
    public JsonNode tree(String key) {
        return get(key);
    }

    /** Names and what stands behind them, in their order. */
    public Map<String, JsonNode> entries() {
        Map<String, JsonNode> entries = new LinkedHashMap<>();
        for (Iterator<Map.Entry<String, JsonNode>> each = map.properties().iterator(); each.hasNext();) {
            Map.Entry<String, JsonNode> entry = each.next();
            asked.add(entry.getKey());
            entries.put(entry.getKey(), entry.getValue());
        }
        return entries;
    }

    /** @throws AnepException if there is a key that was not asked for */
    public void end() {
        map.fieldNames().forEachRemaining(key -> {
            if (!asked.contains(key)) {
                throw bad(key, "there is no such key; there are " + String.join(", ", asked));
            }
        });
    }
}
