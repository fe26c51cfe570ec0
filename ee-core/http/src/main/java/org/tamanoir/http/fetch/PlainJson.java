package org.tamanoir.http.fetch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import org.tamanoir.anep.PlainText;

/** JSON of another server. Its texts and its keys are {@link PlainText}: whoever reads them may print them. */
public final class PlainJson {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private PlainJson() {
    }

    public static JsonNode read(String json) throws JsonProcessingException {
        return plain(MAPPER.readTree(json));
    }

    /** Nothing is a missing node. */
    public static JsonNode read(byte[] json) throws IOException {
        return plain(MAPPER.readTree(json));
    }

    private static JsonNode plain(JsonNode node) {
        if (node.isTextual()) {
            String plain = PlainText.of(node.textValue());
            return plain == node.textValue() ? node : TextNode.valueOf(plain);
        }
        if (node instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                array.set(i, plain(array.get(i)));
            }
        }
        if (node instanceof ObjectNode object) {
            ObjectNode copy = object.objectNode();
            object.properties().forEach(each -> copy.set(PlainText.of(each.getKey()), plain(each.getValue())));
            return copy;
        }
        return node;
    }
}
