package org.tamanoir.services.cache.rules;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.services.cache.http.Head;

/** The directives of a message (RFC 9111, section 5.2). Of one that stands twice the stricter counts: the smaller number. */
public final class CacheControl {
    /** A number of seconds that stands for any larger one (RFC 9111, section 1.2.2). */
    public static final long FOREVER = 1L << 31;
    private static final Pattern DIRECTIVE = Pattern.compile("([^\\s,;=\"]+)(?:\\s*=\\s*(?:\"((?:[^\"\\\\]|\\\\.)*)\"|([^\\s,;\"]*)))?");

    private final Map<String, String> directives = new HashMap<>();

    private CacheControl() {
    }

    /** Those of a head; {@code Pragma: no-cache} counts where there are none. */
    public static CacheControl of(Head head) {
        CacheControl control = new CacheControl();
        String value = head.value("cache-control");
        if (value != null) {
            Matcher each = DIRECTIVE.matcher(value);
            while (each.find()) {
                String argument = each.group(2) != null ? each.group(2) : each.group(3);
                control.directives.merge(each.group(1).toLowerCase(Locale.ROOT), argument == null ? "" : argument, CacheControl::stricter);
            }
        } else if (head.names("pragma", "no-cache")) {
            control.directives.put("no-cache", "");
        }
        return control;
    }

    private static String stricter(String one, String other) {
        return seconds(one) <= seconds(other) ? one : other;
    }

    public boolean has(String directive) {
        return directives.containsKey(directive);
    }

    /** Whether a directive stands without a number. */
    boolean isBare(String directive) {
        return "".equals(directives.get(directive));
    }

    /** The seconds of a directive: 0 if they are no number, {@code otherwise} if it is not there. */
    public long seconds(String directive, long otherwise) {
        String value = directives.get(directive);
        return value == null ? otherwise : seconds(value);
    }

    private static long seconds(String value) {
        return !value.matches("[0-9]+") ? 0 : value.length() > 10 ? FOREVER : Math.min(FOREVER, Long.parseLong(value));
    }
}
