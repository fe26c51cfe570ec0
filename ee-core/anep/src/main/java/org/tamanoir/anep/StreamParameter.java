package org.tamanoir.anep;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * What the source of a stream asks of one service for this stream alone: option 19, beside the operator's options for all streams.
 *
 * @param typeId the service
 * @param name   of the parameter: lower-case letters, digits and dashes, 64 at most
 * @param value  text without control characters
 */
public record StreamParameter(int typeId, String name, String value) {
    /** Octets of all parameters of a stream together, as they stand in the option. */
    public static final int MOST_OCTETS = 1024;
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,63}");

    /** @throws IllegalArgumentException for what is no Type ID, no name or no value */
    public StreamParameter {
        if (typeId < 1 || typeId > 0xFFFF) {
            throw new IllegalArgumentException("Type ID " + typeId + " is not 1 to 65535");
        }
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("'" + name + "' is no name of a parameter: lower-case letters, digits and dashes, beginning with a letter");
        }
        if (value.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("the value of " + name + " holds a control character");
        }
    }

    /** As it stands in the option: {@code name=value}. */
    String text() {
        return name + "=" + value;
    }

    /** Reads {@code name=value}. @throws IllegalArgumentException if it is none */
    static StreamParameter of(int typeId, String text) {
        int equals = text.indexOf('=');
        if (equals < 0) {
            throw new IllegalArgumentException("'" + text + "' is not NAME=VALUE");
        }
        return new StreamParameter(typeId, text.substring(0, equals), text.substring(equals + 1));
    }

    /** Octets that it takes in the option. */
    int size() {
        return Anep.WORD + (text().getBytes(StandardCharsets.UTF_8).length + Anep.WORD - 1 & -Anep.WORD);
    }
}
