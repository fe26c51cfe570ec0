package org.tamanoir.membership;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The golden vectors: octets that were written by hand. */
final class Vectors {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** A good message in which one thing was changed. */
    record Malformed(String place, String value, String error, byte[] octets) {
        @Override
        public String toString() {
            return place + " = " + value;
        }
    }

    private Vectors() {
    }

    static byte[] octets(String file) {
        try (InputStream in = Vectors.class.getResourceAsStream("/vectors/" + file)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<Malformed> malformed(String file, String good) {
        return new String(octets(file), StandardCharsets.UTF_8).lines().filter(line -> !line.startsWith("#"))
                .map(line -> line.split("\\|", 3)).map(parts -> new Malformed(parts[0].strip(), parts[1].strip(), parts[2].strip(),
                        changed(good, parts[0].strip(), parts[1].strip()))).toList();
    }

    private static byte[] changed(String good, String place, String value) {
        try {
            JsonNode whole = JSON.readTree(octets(good));
            JsonPointer pointer = JsonPointer.compile(place);
            JsonNode parent = whole.at(pointer.head());
            if (whole.at(pointer).isMissingNode()) {
                throw new IllegalArgumentException(good + " has no " + place);
            }
            // The text goes in as it stands, so that numbers that no type holds arrive as they are.
            String mark = "\"@@@\"";
            if (parent instanceof ArrayNode list) {
                list.set(pointer.last().getMatchingIndex(), "@@@");
            } else if (value.isEmpty()) {
                ((ObjectNode) parent).remove(pointer.last().getMatchingProperty());
            } else {
                ((ObjectNode) parent).put(pointer.last().getMatchingProperty(), "@@@");
            }
            return JSON.writeValueAsString(whole).replace(mark, value).getBytes(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
