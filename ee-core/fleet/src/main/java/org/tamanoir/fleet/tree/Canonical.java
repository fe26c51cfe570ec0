package org.tamanoir.fleet.tree;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.TreeSet;

/** The one way to write a tree: JSON in UTF-8 without blanks, the keys of each map in the order of their UTF-16 units, lists as they are. */
public final class Canonical {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Canonical() {
    }

    public static byte[] octets(JsonNode tree) {
        return text(tree).getBytes(StandardCharsets.UTF_8);
    }

    public static String text(JsonNode tree) {
        try {
            return MAPPER.writeValueAsString(sorted(tree));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree can always be written", e);
        }
    }

    private static JsonNode sorted(JsonNode tree) {
        if (tree.isObject()) {
            ObjectNode sorted = JsonNodeFactory.instance.objectNode();
            TreeSet<String> keys = new TreeSet<>();
            tree.fieldNames().forEachRemaining(keys::add);
            keys.forEach(key -> sorted.set(key, sorted(tree.get(key))));
            return sorted;
        }
        if (tree.isArray()) {
            ArrayNode list = JsonNodeFactory.instance.arrayNode();
            tree.forEach(each -> list.add(sorted(each)));
            return list;
        }
        return tree;
    }

    /** SHA-256 of the canonical form, 64 lower-case hexadecimal digits. */
    public static String sha256(JsonNode tree) {
        return sha256(octets(tree));
    }

    /** SHA-256, 64 lower-case hexadecimal digits. */
    public static String sha256(byte[] octets) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(octets));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
