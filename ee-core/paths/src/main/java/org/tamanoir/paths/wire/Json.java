package org.tamanoir.paths.wire;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON as maps, lists, texts, numbers (Long or Double) and truth values. */
final class Json {
    private static final int DEEPEST = 16;
    private static final int LONGEST_TEXT = 64 << 10;
    private static final int LONGEST_NUMBER = 40;
    private static final JsonFactory FACTORY = JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(DEEPEST).maxStringLength(LONGEST_TEXT).maxNumberLength(LONGEST_NUMBER).build()).build();

    private Json() {
    }

    /** @throws IllegalArgumentException with what is wrong and where */
    static Object parse(String text) {
        try (JsonParser parser = FACTORY.createParser(text)) {
            parser.nextToken();
            Object value = value(parser);
            if (parser.nextToken() != null) {
                throw new IllegalArgumentException("something stands behind its end");
            }
            return value;
        } catch (StreamConstraintsException e) {
            throw new IllegalArgumentException("it is deeper than " + DEEPEST + ", or a text or number in it is too long", e);
        } catch (IOException e) {
            throw new IllegalArgumentException("it is no JSON", e);
        }
    }

    private static Object value(JsonParser parser) throws IOException {
        JsonToken token = parser.currentToken();
        if (token == null) {
            throw new IllegalArgumentException("it is empty");
        }
        switch (token) {
            case START_OBJECT: {
                Map<String, Object> map = new LinkedHashMap<>();
                while (parser.nextToken() != JsonToken.END_OBJECT) {
                    String name = parser.currentName();
                    parser.nextToken();
                    map.put(name, value(parser));
                }
                return map;
            }
            case START_ARRAY: {
                List<Object> list = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    list.add(value(parser));
                }
                return list;
            }
            case VALUE_NUMBER_INT:
                return parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER ? (Object) parser.getDoubleValue() : (Object) parser.getLongValue();
            case VALUE_NUMBER_FLOAT:
                return parser.getDoubleValue();
            case VALUE_TRUE, VALUE_FALSE:
                return parser.getBooleanValue();
            case VALUE_NULL:
                return null;
            default:
                return parser.getText();
        }
    }

    /** On one line. A key without a value is left out. */
    static String write(Map<String, ?> map) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = FACTORY.createGenerator(text)) {
            write(generator, map);
        } catch (IOException e) {
            throw new IllegalStateException("memory has no I/O errors", e);
        }
        return text.toString();
    }

    private static void write(JsonGenerator generator, Object value) throws IOException {
        if (value instanceof Map<?, ?> map) {
            generator.writeStartObject();
            for (Map.Entry<?, ?> each : map.entrySet()) {
                if (each.getValue() != null) {
                    generator.writeFieldName(each.getKey().toString());
                    write(generator, each.getValue());
                }
            }
            generator.writeEndObject();
        } else if (value instanceof List<?> list) {
            generator.writeStartArray();
            for (Object each : list) {
                write(generator, each);
            }
            generator.writeEndArray();
        } else if (value instanceof Boolean truth) {
            generator.writeBoolean(truth);
        } else if (value instanceof Number number) {
            // Whole numbers without a point: 60, not 60.0.
            if (number.doubleValue() == number.longValue()) {
                generator.writeNumber(number.longValue());
            } else {
                generator.writeNumber(number.doubleValue());
            }
        } else {
            generator.writeString((String) value);
        }
    }
}
