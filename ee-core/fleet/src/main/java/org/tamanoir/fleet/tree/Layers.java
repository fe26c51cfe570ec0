package org.tamanoir.fleet.tree;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * One rule for whatever lies over something else: maps merge, everything else (a value, a list) replaces, and null takes out. It is that of
 * JSON Merge Patch (RFC 7396).
 */
public final class Layers {
    private Layers() {
    }

    /** The first lies lowest. None is changed; null stands for an empty one. */
    public static ObjectNode over(List<? extends JsonNode> layers) {
        ObjectNode whole = JsonNodeFactory.instance.objectNode();
        layers.forEach(each -> lay(whole, each));
        return whole;
    }

    /** One over another; neither is changed. */
    public static ObjectNode over(JsonNode lower, JsonNode upper) {
        ObjectNode whole = JsonNodeFactory.instance.objectNode();
        lay(whole, lower);
        lay(whole, upper);
        return whole;
    }

    private static void lay(ObjectNode below, JsonNode upper) {
        if (upper == null || !upper.isObject()) {
            return;
        }
        upper.properties().forEach(each -> {
            String key = each.getKey();
            JsonNode value = each.getValue();
            if (value.isNull()) {
                below.remove(key);
            } else if (value.isObject()) {
                ObjectNode section = JsonNodeFactory.instance.objectNode();
                lay(section, below.get(key));
                lay(section, value);
                below.set(key, section);
            } else {
                below.set(key, value.deepCopy());
            }
        });
    }
}
