package org.tamanoir.paths.file;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** A set of keys with values, and where it stands: whatever is wrong in it is EE-780 with the whole key. */
final class Fields {
    /** Characters of a file: SnakeYAML's own limit. */
    static final int MOST_TEXT = 3 << 20;
    private static final int MOST_ENTRIES = 100_000;

    private final JsonNode node;
    private final String path;

    private Fields(JsonNode node, String path) {
        this.node = node;
        this.path = path;
    }

    static Fields parse(ObjectMapper mapper, String text, String what) {
        if (text.length() > MOST_TEXT) {
            throw new AnepException(ErrorCode.BAD_PLAN, "the " + what + " has " + text.length() + " characters, more than " + MOST_TEXT);
        }
        try {
            JsonNode root = mapper.enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY).enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).readTree(text);
            if (root == null || !root.isObject()) {
                throw new AnepException(ErrorCode.BAD_PLAN, "the " + what + " is no set of keys with values");
            }
            return new Fields(root, "");
        } catch (JsonProcessingException e) {
            String line = e.getLocation() == null ? "" : " (line " + e.getLocation().getLineNr() + ")";
            throw new AnepException(ErrorCode.BAD_PLAN, "the " + what + " cannot be read: " + e.getOriginalMessage() + line, e);
        }
    }

    AnepException bad(String key, String what) {
        return new AnepException(ErrorCode.BAD_PLAN, (path.isEmpty() || key.isEmpty() ? path + key : path + "." + key) + ": " + what);
    }

    /** What another class has refused, with the key of this section in front. */
    <T> T within(Supplier<T> made) {
        try {
            return made.get();
        } catch (AnepException e) {
            throw bad("", e.text());
        }
    }

    Fields only(String... names) {
        List<String> known = Arrays.asList(names);
        node.fieldNames().forEachRemaining(name -> {
            if (!known.contains(name) && !name.equals("_meta")) {
                throw bad(name, "there is no such key; there are " + String.join(", ", new TreeSet<>(known)));
            }
        });
        return this;
    }

    boolean has(String name) {
        return node.hasNonNull(name);
    }

    String text(String name) {
        JsonNode value = node.path(name);
        if (!value.isValueNode() || value.isNull()) {
            throw bad(name, value.isMissingNode() || value.isNull() ? "it is missing" : "it must be one text");
        }
        return value.asText();
    }

    String text(String name, String otherwise) {
        return has(name) ? text(name) : otherwise;
    }

    int whole(String name, int otherwise) {
        JsonNode value = node.path(name);
        if (has(name) && !(value.isIntegralNumber() && value.canConvertToInt())) {
            throw bad(name, "it must be a whole number");
        }
        return has(name) ? value.intValue() : otherwise;
    }

    double number(String name, double otherwise) {
        if (has(name) && !node.path(name).isNumber()) {
            throw bad(name, "it must be a number");
        }
        return has(name) ? node.path(name).doubleValue() : otherwise;
    }

    boolean flag(String name, boolean otherwise) {
        if (has(name) && !node.path(name).isBoolean()) {
            throw bad(name, "it must be true or false");
        }
        return has(name) ? node.path(name).booleanValue() : otherwise;
    }

    Duration duration(String name, Duration otherwise) {
        if (!has(name)) {
            return otherwise;
        }
        Duration read = Durations.parse(text(name));
        if (read == null) {
            throw bad(name, "'" + text(name) + "' is no time such as 90s, 5m, 4h, 1d or PT4H");
        }
        return read;
    }

    /** A list of texts; one that is missing is empty. */
    List<String> texts(String name) {
        List<String> texts = new ArrayList<>();
        for (JsonNode each : list(name)) {
            if (!each.isValueNode() || each.isNull()) {
                throw bad(name, "it must be a list of texts");
            }
            texts.add(each.asText());
        }
        return texts;
    }

    /** A list of sections; one that is missing is empty. */
    List<Fields> sections(String name) {
        List<Fields> sections = new ArrayList<>();
        for (JsonNode each : list(name)) {
            String where = (path.isEmpty() ? "" : path + ".") + name + "[" + sections.size() + "]";
            if (!each.isObject()) {
                throw new AnepException(ErrorCode.BAD_PLAN, where + ": it must be keys with values");
            }
            sections.add(new Fields(each, where));
        }
        return sections;
    }

    List<Double> numbers(String name) {
        List<Double> numbers = new ArrayList<>();
        for (JsonNode each : list(name)) {
            if (!each.isNumber()) {
                throw bad(name, "it must be a list of numbers");
            }
            numbers.add(each.doubleValue());
        }
        return numbers;
    }

    private JsonNode list(String name) {
        JsonNode value = node.path(name);
        if (has(name) && !value.isArray()) {
            throw bad(name, "it must be a list");
        }
        if (value.size() > MOST_ENTRIES) {
            throw bad(name, "it has " + value.size() + " entries, more than " + MOST_ENTRIES);
        }
        return value;
    }

    /** Texts by their keys, in order; a section that is missing is empty. */
    Map<String, String> textsByKey(String name) {
        Map<String, String> texts = new LinkedHashMap<>();
        Fields section = section(name);
        section.node.fieldNames().forEachRemaining(key -> texts.put(key, section.text(key)));
        return texts;
    }

    /** Sections by their keys, in order; a section that is missing is empty. */
    Map<String, Fields> byKey(String name) {
        Map<String, Fields> sections = new LinkedHashMap<>();
        Fields all = section(name);
        all.node.fieldNames().forEachRemaining(key -> sections.put(key, all.section(key)));
        return sections;
    }

    /** An empty one if it is missing. */
    Fields section(String name) {
        JsonNode value = node.path(name);
        if (has(name) && !value.isObject()) {
            throw bad(name, "it must be keys with values");
        }
        if (value.size() > MOST_ENTRIES) {
            throw bad(name, "it has " + value.size() + " keys, more than " + MOST_ENTRIES);
        }
        return new Fields(value, path.isEmpty() ? name : path + "." + name);
    }
}
