package org.tamanoir.node.access;

import java.util.Locale;
import java.util.Map;

/** Code points of differentiated services as operators write them. */
public final class CodePoints {
    private CodePoints() {
    }

    /** A number, or a name of RFC 2474, 2597, 3246, 5865 or 8622. @throws IllegalArgumentException if it is neither */
    public static int parse(String text) {
        String name = text.toUpperCase(Locale.ROOT);
        Integer named = Map.of("BE", 0, "DF", 0, "LE", 1, "EF", 46, "VA", 44).get(name);
        if (named != null) {
            return named;
        }
        if (name.matches("CS[0-7]")) {
            return 8 * (name.charAt(2) - '0');
        }
        if (name.matches("AF[1-4][1-3]")) {
            return 8 * (name.charAt(2) - '0') + 2 * (name.charAt(3) - '0');
        }
        if (name.matches("\\d{1,2}") && Integer.parseInt(name) < 64) {
            return Integer.parseInt(name);
        }
        throw new IllegalArgumentException("'" + text + "' is neither a code point from 0 to 63 nor a name such as EF, AF11, CS1 or LE");
    }
}
