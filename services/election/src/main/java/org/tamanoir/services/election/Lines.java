package org.tamanoir.services.election;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.services.election.Message.Accepted;
import org.tamanoir.services.election.Message.Prepare;
import org.tamanoir.services.election.Message.Promise;
import org.tamanoir.services.election.Message.Propose;
import org.tamanoir.services.election.Message.Release;

/** What is said, a JSON object a line: {@code {"prepare":{"group":"g","ballot":1025,"holder":"h"}}} between nodes, and what programs ask. */
final class Lines {
    /** Octets of a line. */
    static final int LONGEST = 4096;
    private static final Map<String, Class<? extends Message>> KINDS = Map.of("prepare", Prepare.class, "promise", Promise.class, "propose", Propose.class,
            "accepted", Accepted.class, "release", Release.class);
    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES);

    private final ByteArrayOutputStream begun = new ByteArrayOutputStream();

    /**
     * Takes octets as they come, and hands on each line that is whole.
     *
     * @throws AnepException EE-109 for a line that is too long or no object
     */
    void take(ByteBuf octets, Consumer<JsonNode> line) {
        for (int i = octets.readerIndex(); i < octets.writerIndex(); i++) {
            byte octet = octets.getByte(i);
            if (octet != '\n') {
                begun.write(octet);
                if (begun.size() > LONGEST) {
                    throw new AnepException(ErrorCode.BAD_CONTENT, "a line of more than " + LONGEST + " octets");
                }
                continue;
            }
            String text = begun.toString(StandardCharsets.UTF_8);
            begun.reset();
            line.accept(read(text));
        }
    }

    private static JsonNode read(String text) {
        try {
            JsonNode node = JSON.readTree(text);
            if (node != null && node.isObject()) {
                return node;
            }
        } catch (JsonProcessingException e) {
            // As any other line that is no object.
        }
        throw new AnepException(ErrorCode.BAD_CONTENT, "a line is no JSON object");
    }

    /** A message between nodes. @throws AnepException EE-109 if it is none */
    static Message message(JsonNode line) {
        for (Map.Entry<String, Class<? extends Message>> kind : KINDS.entrySet()) {
            if (line.has(kind.getKey())) {
                try {
                    Message message = JSON.treeToValue(line.get(kind.getKey()), kind.getValue());
                    if (message != null && message.group() != null && (!(message instanceof Propose propose) || propose.lease() != null && propose.lease().holder() != null)) {
                        return message;
                    }
                } catch (JsonProcessingException e) {
                    throw new AnepException(ErrorCode.BAD_CONTENT, "a node says what is no message: " + e.getOriginalMessage(), e);
                }
            }
        }
        throw new AnepException(ErrorCode.BAD_CONTENT, "a node says what is no message");
    }

    static ByteBuf line(Message message) {
        String kind = KINDS.entrySet().stream().filter(each -> each.getValue() == message.getClass()).findFirst().orElseThrow().getKey();
        ObjectNode object = JSON.createObjectNode();
        object.set(kind, JSON.valueToTree(message));
        return line(object);
    }

    static ObjectNode object() {
        return JSON.createObjectNode();
    }

    static ByteBuf line(ObjectNode object) {
        return Unpooled.copiedBuffer(object + "\n", StandardCharsets.UTF_8);
    }
}
