package org.tamanoir.fleet.tree;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** What differs between two trees, key by key in their order. Maps are walked; lists and values are compared whole. */
public final class Differences {
    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9_-]+");
    private static final JsonNode NOTHING = JsonNodeFactory.instance.objectNode();

    private Differences() {
    }

    /** @param from null for an empty one */
    public static List<Change> between(JsonNode from, JsonNode to) {
        List<Change> changes = new ArrayList<>();
        add(changes, "", from == null ? NOTHING : from, to == null ? NOTHING : to);
        return List.copyOf(changes);
    }

    private static void add(List<Change> changes, String path, JsonNode from, JsonNode to) {
        TreeSet<String> keys = new TreeSet<>();
        from.fieldNames().forEachRemaining(keys::add);
        to.fieldNames().forEachRemaining(keys::add);
        for (String key : keys) {
            String at = below(path, key);
            JsonNode was = from.get(key);
            JsonNode is = to.get(key);
            if (isMap(was) && isMap(is) || isMap(was) && is == null && !was.isEmpty() || was == null && isMap(is) && !is.isEmpty()) {
                add(changes, at, was == null ? NOTHING : was, is == null ? NOTHING : is);
            } else if (was == null || is == null || !Canonical.text(was).equals(Canonical.text(is))) {
                changes.add(new Change(at, was, is));
            }
        }
    }

    private static boolean isMap(JsonNode node) {
        return node != null && node.isObject();
    }

    /** The name of a key within a section. */
    static String below(String path, String key) {
        return !WORD.matcher(key).matches() ? path + '[' + key + ']' : path.isEmpty() ? key : path + '.' + key;
    }
}
