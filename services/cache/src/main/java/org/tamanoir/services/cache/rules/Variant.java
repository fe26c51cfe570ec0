package org.tamanoir.services.cache.rules;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.tamanoir.services.cache.http.Head;

/** Which requests an answer is for (RFC 9111, section 4.1): the fields that it names in Vary, as the request had them. */
public final class Variant {
    private static final int MOST = 16;

    private Variant() {
    }

    /** The fields of a request by which an answer was chosen; null if nothing can say which other requests it is for. */
    public static Map<String, String> of(Head request, Head answer) {
        String vary = answer.value("vary");
        Map<String, String> chosenBy = new LinkedHashMap<>();
        if (vary == null) {
            return chosenBy;
        }
        String[] names = vary.split(",");
        for (String each : names) {
            String name = each.strip().toLowerCase(Locale.ROOT);
            if (name.equals("*") || names.length > MOST) {
                return null;
            }
            if (!name.isEmpty()) {
                chosenBy.put(name, value(request, name));
            }
        }
        return chosenBy;
    }

    /** Whether an answer is for a request. */
    public static boolean fits(Map<String, String> chosenBy, Head request) {
        return chosenBy.entrySet().stream().allMatch(field -> field.getValue().equals(value(request, field.getKey())));
    }

    private static String value(Head request, String name) {
        String value = request.value(name);
        return value == null ? "" : String.join(",", Arrays.stream(value.split(",")).map(String::strip).toList());
    }
}
