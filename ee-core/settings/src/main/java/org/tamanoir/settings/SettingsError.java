package org.tamanoir.settings;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonMappingException.Reference;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** What is wrong with a configuration file, for whoever wrote it: the key, the line, and what may stand there. */
final class SettingsError {
    private SettingsError() {
    }

    /** {@code limits.stream: there is no such key; there are … (line 7)}. */
    static String text(JsonMappingException error) {
        return key(error) + reason(error) + where(error);
    }

    private static String reason(JsonMappingException error) {
        if (error instanceof UnrecognizedPropertyException unknown) {
            return "there is no such key; there are " + unknown.getKnownPropertyIds().stream().map(String::valueOf).sorted()
                    .collect(Collectors.joining(", "));
        }
        if (error instanceof MismatchedInputException mismatched && mismatched.getTargetType() != null) {
            return "it must be " + kind(mismatched.getTargetType());
        }
        // The library's own words, which are about YAML here and not about classes.
        return error.getOriginalMessage();
    }

    private static String kind(Class<?> type) {
        if (type == boolean.class || type == Boolean.class) {
            return "true or false";
        }
        if (type.isPrimitive() || Number.class.isAssignableFrom(type)) {
            return "a number";
        }
        if (Collection.class.isAssignableFrom(type)) {
            return "a list";
        }
        return type == String.class || !Map.class.isAssignableFrom(type) && type.getPackageName().startsWith("java.") ? "one text"
                : "keys with values";
    }

    /** {@code limits.streams: }, or nothing where the error is not one of a key. */
    private static String key(JsonMappingException error) {
        String path = error.getPath().stream().map(Reference::getFieldName).filter(Objects::nonNull).collect(Collectors.joining("."));
        return path.isEmpty() ? "" : path + ": ";
    }

    private static String where(JsonProcessingException error) {
        return error.getLocation() == null ? "" : " (line " + error.getLocation().getLineNr() + ")";
    }
}
