package org.tamanoir.services.interest.filter;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.cel.common.values.CelByteString;
import dev.cel.common.values.NullValue;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.interest.wire.EventView;

/** The data of one event as values of CEL: decoded when the first predicate asks for it, and once for all of them. */
public final class EventData {
    private static final JsonFactory JSON = new JsonFactory();

    private EventView event;
    private byte[] octets;
    private Object value;
    private boolean decoded;
    private Descriptor as;
    private Object message;
    private String topic;

    /** The next event. */
    public EventData of(EventView next) {
        event = next;
        octets = null;
        value = null;
        decoded = false;
        as = null;
        message = null;
        topic = null;
        return this;
    }

    EventView event() {
        return event;
    }

    String topic() {
        if (topic == null) {
            topic = event.topicText();
        }
        return topic;
    }

    private byte[] octets() {
        if (octets == null) {
            octets = event.dataOctets();
        }
        return octets;
    }

    /** Null for data that is not what the event says it is. */
    Object value() {
        if (!decoded) {
            decoded = true;
            try {
                value = switch (event.content()) {
                    case EventView.JSON -> json(octets());
                    case EventView.CBOR -> CborReader.read(octets());
                    default -> CelByteString.of(octets());
                };
            } catch (IOException | IllegalArgumentException e) {
                // It matches no predicate.
                value = null;
            }
        }
        return value;
    }

    /** Null for data that is no such message. */
    Object message(Descriptor descriptor) {
        if (event.content() != EventView.PROTOBUF) {
            return null;
        }
        if (as != descriptor) {
            as = descriptor;
            try {
                message = DynamicMessage.parseFrom(descriptor, octets());
            } catch (InvalidProtocolBufferException e) {
                message = null;
            }
        }
        return message;
    }

    private static Object json(byte[] octets) throws IOException {
        try (JsonParser parser = JSON.createParser(octets)) {
            parser.nextToken();
            return json(parser);
        }
    }

    /** Jackson bounds the depth. */
    private static Object json(JsonParser parser) throws IOException {
        JsonToken token = parser.currentToken();
        if (token == null) {
            throw new IOException("no value");
        }
        return switch (token) {
            case START_OBJECT -> {
                Map<String, Object> map = new HashMap<>();
                while (parser.nextToken() == JsonToken.FIELD_NAME) {
                    String name = parser.currentName();
                    parser.nextToken();
                    map.put(name, json(parser));
                }
                yield map;
            }
            case START_ARRAY -> {
                List<Object> list = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    list.add(json(parser));
                }
                yield list;
            }
            case VALUE_STRING -> parser.getText();
            case VALUE_NUMBER_INT -> parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER ? (Object) parser.getDoubleValue() : (Object) parser.getLongValue();
            case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> NullValue.NULL_VALUE;
            default -> throw new IOException("no value");
        };
    }
}
