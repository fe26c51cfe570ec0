package org.tamanoir.console.gather;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Fields of an entry out of what a server says: whatever that is, they are short, and of the kind that the page expects. */
final class Said {
    /** Characters of one field, and of a part of a key: an event of the feed has room for some hundreds of them. */
    private static final int MOST_CHARACTERS = 500;
    private static final int MOST_OF_LIST = 32;

    private final Map<String, Object> fields = new LinkedHashMap<>();

    /** Null for what is no text or number. */
    static String text(JsonNode value) {
        String text = value.isValueNode() && !value.isNull() ? value.asText() : null;
        return text == null || text.length() <= MOST_CHARACTERS ? text : text.substring(0, MOST_CHARACTERS) + "…";
    }

    static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>();
        for (JsonNode each : list) {
            String text = text(each);
            if (text != null && texts.size() < MOST_OF_LIST) {
                texts.add(text);
            }
        }
        return texts;
    }

    /** Null is left out. */
    Said put(String name, Object value) {
        if (value != null) {
            fields.put(name, value);
        }
        return this;
    }

    Said text(String name, JsonNode value) {
        String text = text(value);
        return put(name, text == null || text.isEmpty() ? null : text);
    }

    Said number(String name, JsonNode value) {
        return put(name, value.isNumber() && Double.isFinite(value.asDouble()) ? value.numberValue() : null);
    }

    /** A time as ISO 8601, as milliseconds since 1970. */
    Said time(String name, JsonNode value) {
        try {
            return put(name, value.isTextual() ? Instant.parse(value.asText()).toEpochMilli() : null);
        } catch (DateTimeParseException | ArithmeticException e) {
            return this;
        }
    }

    Map<String, Object> fields() {
        return fields;
    }
}
