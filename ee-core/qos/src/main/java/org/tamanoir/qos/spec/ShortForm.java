package org.tamanoir.qos.spec;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The short form of a service level: {@code NAME=VALUE,…} with the names of the objectives and of the traffic, such as
 * {@code delay=low,rate=medium} (the form that QoSINUS had) or {@code maxDelayMs=10,traffic=5000000,excess=shape:20ms}.
 */
final class ShortForm {
    /** Names that are not objectives, and where they stand in the long form. */
    private static final Map<String, String> ELSEWHERE = Map.of("traffic", "rate", "bucket", "bucket", "peak", "peak", "mtu", "mtu");

    private ShortForm() {
    }

    static String toJson(String text) {
        ObjectNode all = JsonNodeFactory.instance.objectNode();
        ObjectNode objectives = JsonNodeFactory.instance.objectNode();
        ObjectNode traffic = JsonNodeFactory.instance.objectNode();
        Set<String> names = new HashSet<>();
        for (String part : text.strip().split(",")) {
            int equals = part.indexOf('=');
            String name = equals < 0 ? part.strip() : part.substring(0, equals).strip();
            String value = equals < 0 ? "" : part.substring(equals + 1).strip();
            if (name.isEmpty() || value.isEmpty()) {
                throw Fields.wrong("'" + part.strip() + "'", "is not NAME=VALUE; the short form is delay=low,rate=medium");
            }
            if (!names.add(name)) {
                throw Fields.wrong(name, "is said twice");
            }
            if (name.equals("excess") || name.equals("customer") || name.equals("directions")) {
                all.put(name, value);
            } else if (name.equals("transport")) {
                all.putObject("flow").put(name, value);
            } else if (ELSEWHERE.containsKey(name)) {
                put(traffic, ELSEWHERE.get(name), value);
            } else {
                put(objectives, name, value);
            }
        }
        if (!objectives.isEmpty()) {
            all.set("objectives", objectives);
        }
        if (!traffic.isEmpty()) {
            all.set("traffic", traffic);
        }
        return all.toString();
    }

    private static void put(ObjectNode object, String name, String value) {
        try {
            object.put(name, new BigDecimal(value));
        } catch (NumberFormatException e) {
            object.put(name, value);
        }
    }
}
