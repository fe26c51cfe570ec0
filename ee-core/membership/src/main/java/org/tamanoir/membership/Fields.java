package org.tamanoir.membership;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * One object of a message: its fields are asked for by name and checked. A field that is missing or makes no sense is an error that begins with where
 * it stands ({@code services[2].typeId}); fields that nobody asks for are a newer version's, and ignored.
 */
final class Fields {
    /** Octets of a message: 512 services of 125 octets, which is what one with everything in it has. */
    static final int MOST_OCTETS = 65_536;
    /** Objects in objects: a message has three. */
    private static final int MOST_DEPTH = 16;
    /** Characters of a wrong value that an error shows. */
    private static final int MOST_SHOWN = 64;
    /** What is not seen, or makes another line, in a log: controls (those beyond ASCII too), formats, separators, what is no character. */
    private static final String UNSEEN = "[\\p{C}\\p{Zl}\\p{Zp}]+";
    private static final ObjectMapper JSON = new ObjectMapper(JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(MOST_DEPTH).build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build()).enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private final ErrorCode code;
    private final String path;
    private final JsonNode node;

    private Fields(ErrorCode code, String path, JsonNode node) {
        this.code = code;
        this.path = path;
        this.node = node;
    }

    /**
     * The object that a message is.
     *
     * @param code of every error
     */
    static Fields parse(byte[] octets, ErrorCode code) {
        if (octets.length > MOST_OCTETS) {
            throw new AnepException(code, "the message has " + octets.length + " octets; it may have " + MOST_OCTETS);
        }
        try {
            JsonNode whole = JSON.readTree(octets);
            if (!whole.isObject()) {
                throw new AnepException(code, "the message is " + shown(whole) + "; it must be an object {...}");
            }
            return new Fields(code, "", whole);
        } catch (JsonProcessingException e) {
            throw new AnepException(code, "the message is no JSON: " + cut(e.getOriginalMessage()), e);
        } catch (IOException e) {
            throw new AnepException(code, "the message is no text: " + cut(e.getMessage()), e);
        }
    }

    /** Without what would make it another line, or a long one: it goes into logs. */
    private static String cut(String text) {
        String line = String.valueOf(text).replaceAll(UNSEEN, " ");
        return line.length() <= MOST_SHOWN * 2 ? line : line.substring(0, MOST_SHOWN * 2) + "…";
    }

    private static String shown(JsonNode value) {
        String text = value.isMissingNode() ? "missing" : value.toString().replaceAll(UNSEEN, " ");
        return text.length() <= MOST_SHOWN ? text : text.substring(0, MOST_SHOWN) + "…";
    }

    AnepException bad(String name, String mustBe) {
        return new AnepException(code, path + name + " is " + shown(node.path(name)) + "; it must be " + mustBe);
    }

    /** Whether it is there, and not {@code null}. */
    boolean has(String name) {
        return node.hasNonNull(name);
    }

    /** An object within. */
    Fields object(String name) {
        JsonNode value = node.path(name);
        if (!value.isObject()) {
            throw bad(name, "an object {...}");
        }
        return new Fields(code, path + name + ".", value);
    }

    /** A list of objects. */
    List<Fields> objects(String name, int most) {
        JsonNode value = node.path(name);
        if (!value.isArray()) {
            throw bad(name, "a list [...]");
        }
        if (value.size() > most) {
            throw new AnepException(code, path + name + " has " + value.size() + " entries; it may have " + most);
        }
        List<Fields> objects = new ArrayList<>(value.size());
        for (JsonNode each : value) {
            String where = path + name + "[" + objects.size() + "]";
            if (!each.isObject()) {
                throw new AnepException(code, where + " is " + shown(each) + "; it must be an object {...}");
            }
            objects.add(new Fields(code, where + ".", each));
        }
        return objects;
    }

    /** A text of one form. */
    String text(String name, Pattern form, String mustBe) {
        JsonNode value = node.path(name);
        if (!value.isTextual() || !form.matcher(value.textValue()).matches()) {
            throw bad(name, mustBe);
        }
        return value.textValue();
    }

    /** A whole number from least to most. */
    long whole(String name, long least, long most) {
        JsonNode value = node.path(name);
        if (!value.isIntegralNumber() || !value.canConvertToLong() || value.longValue() < least || value.longValue() > most) {
            throw bad(name, "a whole number from " + least + " to " + most);
        }
        return value.longValue();
    }

    int port(String name) {
        return (int) whole(name, 1, 65_535);
    }

    /** A number from 0 to most; NaN and infinity are none. */
    double number(String name, double most) {
        JsonNode value = node.path(name);
        double number = value.isNumber() ? value.doubleValue() : Double.NaN;
        if (!(number >= 0 && number <= most)) {
            throw bad(name, "a number from 0 to " + most);
        }
        return number == 0 ? 0 : number; // Of -0.0, which is as good, 0.
    }

    /** A constant by its name. */
    <E extends Enum<E>> E word(String name, Class<E> words) {
        JsonNode value = node.path(name);
        for (E word : words.getEnumConstants()) {
            if (value.isTextual() && value.textValue().equals(word.name())) {
                return word;
            }
        }
        throw bad(name, "one of " + Arrays.toString(words.getEnumConstants()));
    }

    /** A literal of an address that can be reached, in the one way that {@link Addresses#text} writes it. */
    String address(String name, boolean loopback) {
        JsonNode value = node.path(name);
        InetAddress address = value.isTextual() ? Addresses.literal(value.textValue()) : null;
        String unfit = address == null ? "" : Addresses.unfit(address, loopback);
        if (unfit != null) {
            throw bad(name, "an IPv4 or IPv6 address without a zone" + (unfit.isEmpty() ? "" : ", and this one is " + unfit));
        }
        return Addresses.text(address);
    }
}
