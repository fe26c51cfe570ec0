package org.tamanoir.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.PrintWriter;
import java.time.Instant;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** What commands print with {@code --json}. docs/operating.md, "Output for programs", has the rules. */
public final class Json {
    private static final ObjectMapper MAPPER = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private Json() {
    }

    /** Prints one object. */
    public static void print(PrintWriter out, Object value) {
        print(out, MAPPER.writer(), value);
    }

    /** The same on one line, where others may follow. */
    static void line(PrintWriter out, Object value) {
        print(out, MAPPER.writer().without(SerializationFeature.INDENT_OUTPUT), value);
    }

    private static void print(PrintWriter out, ObjectWriter writer, Object value) {
        JsonNode tree = value instanceof JsonNode answer ? answer : MAPPER.valueToTree(value);
        if (!tree.isObject()) {
            throw new AnepException(ErrorCode.INTERNAL, "what it has to say is no JSON object: " + tree.getNodeType());
        }
        try {
            out.println(writer.writeValueAsString(tree));
            out.flush();
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** An object for a list, so that there is room for more beside it. */
    static ObjectNode object(String name, JsonNode list) {
        return JsonNodeFactory.instance.objectNode().set(name, list);
    }

    /** Writes each {@code time} and each of {@code times} that is in milliseconds since 1970 as text. A part of the time is no {@code long}. */
    static JsonNode timesAsText(JsonNode value) {
        if (value instanceof ObjectNode object) {
            object.properties().forEach(each -> {
                boolean isTime = each.getKey().equals("time") && each.getValue().isLong();
                each.setValue(isTime ? text(each.getValue()) : timesAsText(each.getValue()));
            });
            if (object.get("times") instanceof ArrayNode times) {
                for (int i = 0; i < times.size(); i++) {
                    times.set(i, text(times.get(i)));
                }
            }
        } else {
            value.forEach(Json::timesAsText);
        }
        return value;
    }

    private static JsonNode text(JsonNode millis) {
        return TextNode.valueOf(Instant.ofEpochMilli(millis.asLong()).toString());
    }
}
