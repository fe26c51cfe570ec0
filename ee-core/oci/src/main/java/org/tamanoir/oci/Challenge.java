package org.tamanoir.oci;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a registry wants to see (RFC 9110 section 11.6.1).
 *
 * @param scheme     {@code bearer} or {@code basic}
 * @param parameters by their names in lower case
 */
record Challenge(String scheme, Map<String, String> parameters) {
    private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
    private static final Pattern SCHEME = Pattern.compile("\\G[\\s,]*(" + TOKEN + ")(?:\\s+|$)(?!=)");
    private static final Pattern PARAMETER = Pattern.compile("\\G[\\s,]*(" + TOKEN + ")\\s*=\\s*(?:\"([^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+)\"|(" + TOKEN + "))");
    /** Longer than any registry's. */
    private static final int MOST_LENGTH = 8 << 10;

    /** The first challenge of the headers that a client can meet, bearer before basic; null if there is none. */
    static Challenge of(List<String> headers) {
        Challenge basic = null;
        for (String header : headers) {
            for (Challenge each : parse(header)) {
                if (each.scheme.equals("bearer") && each.parameters.containsKey("realm")) {
                    return each;
                }
                if (each.scheme.equals("basic")) {
                    basic = each;
                }
            }
        }
        return basic;
    }

    private static List<Challenge> parse(String header) {
        List<Challenge> found = new ArrayList<>();
        int at = 0;
        while (at < header.length() && header.length() <= MOST_LENGTH) {
            Matcher scheme = SCHEME.matcher(header);
            if (!scheme.find(at)) {
                break;
            }
            at = scheme.end();
            Map<String, String> parameters = new LinkedHashMap<>();
            Matcher parameter = PARAMETER.matcher(header);
            while (at < header.length() && parameter.find(at)) {
                String quoted = parameter.group(2);
                parameters.putIfAbsent(parameter.group(1).toLowerCase(Locale.ROOT), quoted == null ? parameter.group(3) : quoted.replaceAll("\\\\(.)", "$1"));
                at = parameter.end();
            }
            found.add(new Challenge(scheme.group(1).toLowerCase(Locale.ROOT), Map.copyOf(parameters)));
        }
        return found;
    }
}
