package org.tamanoir.node.manage.board;

import java.util.LinkedHashMap;
import java.util.Map;

/** The fields of an entry. */
public final class Fields {
    private Fields() {
    }

    /** Name, value, name, value; what has no value is left out. */
    public static Map<String, Object> of(Object... namesAndValues) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            if (namesAndValues[i + 1] != null) {
                fields.put((String) namesAndValues[i], namesAndValues[i + 1]);
            }
        }
        return fields;
    }
}
