package org.tamanoir.tuf.format;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * The form of JSON over which signatures are made, as securesystemslib writes it (OLPC canonical JSON): no white space, names in the order of
 * their code points, and of all characters only quote and backslash escaped. It is no JSON where texts have control characters.
 */
public final class CanonicalJson {
    /** As Python compares texts; Java compares UTF-16, which puts U+FFFF after U+10000. */
    static final Comparator<String> BY_CODE_POINTS = (one, other) -> {
        Iterator<Integer> right = other.codePoints().iterator();
        for (Iterator<Integer> left = one.codePoints().iterator(); left.hasNext();) {
            if (!right.hasNext()) {
                return 1;
            }
            int difference = Integer.compare(left.next(), right.next());
            if (difference != 0) {
                return difference;
            }
        }
        return right.hasNext() ? -1 : 0;
    };

    private CanonicalJson() {
    }

    /** @param value as {@link StrictJson} gives them; integers may be Integer too */
    public static byte[] octets(Object value) {
        StringBuilder out = new StringBuilder(256);
        write(value, out);
        return out.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof String text) {
            write(text, out);
        } else if (value instanceof Map<?, ?> object) {
            List<String> names = new ArrayList<>();
            object.keySet().forEach(name -> names.add((String) name));
            names.sort(BY_CODE_POINTS);
            char before = '{';
            for (String name : names) {
                write(name, out.append(before));
                write(object.get(name), out.append(':'));
                before = ',';
            }
            out.append(names.isEmpty() ? "{}" : "}");
        } else if (value instanceof List<?> array) {
            char before = '[';
            for (Object each : array) {
                write(each, out.append(before));
                before = ',';
            }
            out.append(array.isEmpty() ? "[]" : "]");
        } else if (value == null || value instanceof Boolean || value instanceof Long || value instanceof Integer) {
            out.append(value);
        } else {
            throw new IllegalArgumentException("there is no canonical form of " + value.getClass());
        }
    }

    private static void write(String text, StringBuilder out) {
        out.append('"').append(text.replace("\\", "\\\\").replace("\"", "\\\"")).append('"');
    }
}
