package org.tamanoir.paths.wire;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.paths.plan.Plan;
import org.tamanoir.service.rule.Prefix;

/** A JSON object that is read: what is missing or of another kind is an error that names the key. */
final class Keys {
    private final Map<?, ?> map;
    private final ErrorCode code;
    private final String path;

    private Keys(Map<?, ?> map, ErrorCode code, String path) {
        this.map = map;
        this.code = code;
        this.path = path;
    }

    /** @param code of what is wrong @param what the text is, for people */
    static Keys parse(String text, ErrorCode code, String what) {
        Object value;
        try {
            value = Json.parse(text);
        } catch (IllegalArgumentException e) {
            throw new AnepException(code, what + " cannot be read: " + e.getMessage(), e);
        }
        if (!(value instanceof Map<?, ?> map)) {
            throw new AnepException(code, what + " is no JSON object");
        }
        return new Keys(map, code, "");
    }

    AnepException bad(String key, String what) {
        return new AnepException(code, path + key + ": " + what);
    }

    boolean has(String key) {
        return map.get(key) != null;
    }

    private <T> T value(String key, Class<T> type, String kind) {
        Object value = map.get(key);
        if (!type.isInstance(value)) {
            throw bad(key, value == null ? "it is missing" : "it must be " + kind);
        }
        return type.cast(value);
    }

    /** Up to 255 characters, on one line. */
    String text(String key) {
        String text = value(key, String.class, "a text");
        if (text.length() > 255 || text.chars().anyMatch(Character::isISOControl)) {
            throw bad(key, "it must have at most 255 characters, on one line");
        }
        return text;
    }

    String text(String key, String otherwise) {
        return has(key) ? text(key) : otherwise;
    }

    /** As theodolites, tasks and classes have one. */
    String name(String key) {
        String name = text(key);
        if (!Plan.NAME.matcher(name).matches()) {
            throw bad(key, "'" + name + "' is no name: " + Plan.NAME_FORM);
        }
        return name;
    }

    /** An address or a prefix. */
    String host(String key) {
        String text = text(key);
        try {
            Prefix.parse(text);
            return text;
        } catch (AnepException e) {
            throw bad(key, "it is neither an address nor a prefix");
        }
    }

    /** In base 64. */
    byte[] octets(String key) {
        try {
            return Base64.getDecoder().decode(value(key, String.class, "a text"));
        } catch (IllegalArgumentException e) {
            throw bad(key, "it is no base 64");
        }
    }

    boolean flag(String key, boolean otherwise) {
        return has(key) ? value(key, Boolean.class, "true or false") : otherwise;
    }

    double number(String key) {
        return value(key, Number.class, "a number").doubleValue();
    }

    long whole(String key, long least, long most) {
        Long number = value(key, Long.class, "a whole number");
        if (number < least || number > most) {
            throw bad(key, number + " is not from " + least + " to " + most);
        }
        return number;
    }

    int whole(String key, int otherwise) {
        return has(key) ? (int) whole(key, 0, Integer.MAX_VALUE) : otherwise;
    }

    /** Of seconds. */
    Duration duration(String key) {
        double seconds = number(key);
        if (!(seconds >= 0 && seconds <= 366 * 86_400)) {
            throw bad(key, seconds + " is not from 0 to the seconds of a year");
        }
        return Duration.ofNanos(Math.round(seconds * 1e9));
    }

    static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }

    Keys section(String key) {
        return new Keys(value(key, Map.class, "an object"), code, path + key + ".");
    }

    List<Keys> sections(String key) {
        List<Keys> sections = new ArrayList<>();
        for (Object each : value(key, List.class, "a list")) {
            if (!(each instanceof Map<?, ?> section)) {
                throw bad(key + "[" + sections.size() + "]", "it must be an object");
            }
            sections.add(new Keys(section, code, path + key + "[" + sections.size() + "]."));
        }
        return sections;
    }

    List<String> names() {
        return map.keySet().stream().map(Object::toString).toList();
    }
}
