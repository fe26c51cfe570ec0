package org.tamanoir.tuf.format;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonParser.NumberType;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * JSON that everybody reads alike, or none. Two readers that differ about one document could be shown different metadata under one
 * signature: so there are no names twice, no fractions, no integers beyond 64 bits, no halves of surrogate pairs, no octets that are not
 * UTF-8, nothing behind the end.
 *
 * <p>Values are {@code Map<String, Object>} in the order of the document, {@code List<Object>}, String, Long, Boolean, or null.
 */
public final class StrictJson {
    /** Metadata has 8 levels; python-tuf bounds nothing. */
    static final int DEEPEST = 32;
    /** A role with 4,096 targets has 40,000 values. Bounds memory too: an empty object costs two octets in a document and 56 on the heap. */
    static final int MOST_VALUES = 200_000;
    private static final int LONGEST_NAME = 1_024;
    private static final int LONGEST_TEXT = 64 << 10;

    private static final JsonFactory FACTORY = new JsonFactoryBuilder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(DEEPEST).maxNumberLength(20).maxNameLength(LONGEST_NAME)
                    .maxStringLength(LONGEST_TEXT).build())
            .build();

    private final JsonParser parser;
    private int values;

    private StrictJson(JsonParser parser) {
        this.parser = parser;
    }

    /**
     * Reads an object.
     *
     * @throws AnepException EE-420 if the octets are anything else
     */
    public static Map<String, Object> object(byte[] octets) {
        try (JsonParser parser = FACTORY.createParser(text(octets))) {
            StrictJson json = new StrictJson(parser);
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw bad("it is no JSON object", null);
            }
            Map<String, Object> object = json.object();
            if (parser.nextToken() != null) {
                throw bad("there is something behind its end", null);
            }
            return object;
        } catch (CharacterCodingException e) {
            throw bad("it is not UTF-8", e);
        } catch (JsonProcessingException e) {
            throw bad(e.getOriginalMessage(), e);
        } catch (IOException e) {
            throw bad(e.toString(), e);
        }
    }

    private static String text(byte[] octets) throws CharacterCodingException {
        return StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPORT).onUnmappableCharacter(CodingErrorAction.REPORT)
                .decode(ByteBuffer.wrap(octets)).toString();
    }

    private Map<String, Object> object() throws IOException {
        Map<String, Object> object = new LinkedHashMap<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = whole(parser.currentName());
            parser.nextToken();
            object.put(name, value());
        }
        return object;
    }

    private List<Object> array() throws IOException {
        List<Object> array = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            array.add(value());
        }
        return array;
    }

    private Object value() throws IOException {
        if (++values > MOST_VALUES) {
            throw bad("it has more than " + MOST_VALUES + " values", null);
        }
        JsonToken token = parser.currentToken();
        if (token == null) {
            throw bad("it ends too early", null);
        }
        return switch (token) {
            case START_OBJECT -> object();
            case START_ARRAY -> array();
            case VALUE_STRING -> whole(parser.getText());
            case VALUE_NUMBER_INT -> integer();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            default -> throw bad("it has a number that is no integer", null);
        };
    }

    private Long integer() throws IOException {
        if (parser.getNumberType() == NumberType.BIG_INTEGER) {
            throw bad("it has an integer of more than 64 bits", null);
        }
        return parser.getLongValue();
    }

    /** UTF-16 in which every half of a pair has the other: nothing else has a form in UTF-8 that could be signed. */
    private static String whole(String text) {
        for (int i = 0; i < text.length(); i++) {
            char unit = text.charAt(i);
            if (Character.isHighSurrogate(unit) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
            } else if (Character.isSurrogate(unit)) {
                throw bad("it has half of a surrogate pair", null);
            }
        }
        return text;
    }

    private static AnepException bad(String why, Exception cause) {
        return new AnepException(ErrorCode.BAD_METADATA, "this is no metadata: " + why, cause);
    }
}
