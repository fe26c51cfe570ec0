package org.tamanoir.qos.spec;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** One object of a JSON text: its fields are asked for by name and checked; what was not asked for is an error in the end. */
final class Fields {
    private static final int LONGEST_TEXT = 128;
    /** Times beyond are no schedule, and those far beyond have no number of milliseconds. */
    private static final Instant LAST = Instant.parse("9999-12-31T23:59:59Z");

    private final String path;
    private final JsonNode node;
    private final Set<String> asked = new HashSet<>();

    /** @param path where it stands in the whole, such as {@code flow.}; empty for the whole */
    Fields(String path, JsonNode node) {
        this.path = path;
        this.node = node;
        if (!node.isObject()) {
            throw wrong(path.isEmpty() ? "it" : path.substring(0, path.length() - 1), "must be an object {...}");
        }
    }

    static AnepException wrong(String field, String what) {
        return new AnepException(ErrorCode.BAD_SERVICE_LEVEL, field + " " + what);
    }

    AnepException bad(String name, String what) {
        return wrong(path + name, what);
    }

    private JsonNode get(String name) {
        asked.add(name);
        JsonNode value = node.get(name);
        return value == null || value.isNull() ? null : value;
    }

    boolean has(String name) {
        return get(name) != null;
    }

    /** An object within; null if it is not there. */
    Fields object(String name) {
        JsonNode value = get(name);
        return value == null ? null : new Fields(path + name + ".", value);
    }

    /** A text of at most 128 characters; null if it is not there. */
    String text(String name) {
        JsonNode value = get(name);
        if (value == null) {
            return null;
        }
        if (!value.isTextual() || value.textValue().isBlank() || value.textValue().length() > LONGEST_TEXT) {
            throw bad(name, "must be a text of 1 to " + LONGEST_TEXT + " characters");
        }
        return value.textValue();
    }

    List<String> texts(String name, int most) {
        JsonNode value = get(name);
        List<String> texts = new ArrayList<>();
        if (value != null) {
            if (!value.isArray() || value.size() > most) {
                throw bad(name, "must be a list of at most " + most + " texts");
            }
            for (JsonNode each : value) {
                if (!each.isTextual() || each.textValue().isBlank() || each.textValue().length() > LONGEST_TEXT) {
                    throw bad(name, "must be a list of texts of 1 to " + LONGEST_TEXT + " characters");
                }
                texts.add(each.textValue());
            }
        }
        return texts;
    }

    /** A number from least to most; NaN if it is not there. */
    double number(String name, double least, double most, String unit) {
        JsonNode value = get(name);
        if (value == null) {
            return Double.NaN;
        }
        double number = value.isNumber() ? value.doubleValue() : Double.NaN;
        if (!(number >= least && number <= most)) {
            throw bad(name, "is " + value + "; it must be a number from " + plain(least) + " to " + plain(most) + unit);
        }
        return number;
    }

    /** A whole number from least to most, or the preset. */
    long whole(String name, long preset, long least, long most, String unit) {
        JsonNode value = get(name);
        if (value == null) {
            return preset;
        }
        if (!value.isIntegralNumber() || !value.canConvertToLong() || value.longValue() < least || value.longValue() > most) {
            throw bad(name, "is " + value + "; it must be a whole number from " + least + " to " + most + unit);
        }
        return value.longValue();
    }

    Instant time(String name) {
        String text = text(name);
        Instant time;
        try {
            time = text == null ? null : Instant.parse(text);
        } catch (DateTimeParseException e) {
            throw bad(name, "is '" + text + "'; it must be a time such as 2026-05-01T12:00:00Z");
        }
        if (time != null && (time.isBefore(Instant.EPOCH) || time.isAfter(LAST))) {
            throw bad(name, "is '" + text + "'; it must be from " + Instant.EPOCH + " to " + LAST);
        }
        return time;
    }

    /** Nothing else may be there. */
    void end() {
        for (Iterator<String> names = node.fieldNames(); names.hasNext();) {
            String name = names.next();
            if (!asked.contains(name)) {
                throw bad(name, "is not known");
            }
        }
    }

    private static String plain(double number) {
        return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
    }
}
