package org.tamanoir.settings;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.tamanoir.anep.AnepException;

/** What is wrong with a configuration file, for whoever wrote it: the key, the line, and what may stand there. */
final class SettingsError {
    private SettingsError() {
    }

    /**
     * {@code limits.stream: there is no such key; there are … (line 7)}.
     *
     * @param file what was read, to find the line; null for no line
     */
    static String text(JsonMappingException error, String file) {
        AnepException known = error.getCause() instanceof AnepException cause ? cause : null;
        List<Object> path = new ArrayList<>();
        error.getPath().forEach(each -> path.add(each.getFieldName() != null ? each.getFieldName() : each.getIndex()));
        if (known instanceof BadSetting bad) {
            path.addAll(bad.key());
        }
        String key = key(path);
        return (key.isEmpty() ? "" : key + ": ") + (known != null ? known.text() : reason(error)) + where(error, path, file);
    }

    private static String reason(JsonMappingException error) {
        if (error instanceof UnrecognizedPropertyException unknown) {
            return "there is no such key; there are " + unknown.getKnownPropertyIds().stream().map(String::valueOf).sorted()
                    .collect(Collectors.joining(", "));
        }
        if (error instanceof MismatchedInputException mismatched && !(error instanceof ValueInstantiationException)
                && mismatched.getTargetType() != null) {
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

    /** {@code pools[0].to}. */
    private static String key(List<Object> path) {
        StringBuilder key = new StringBuilder();
        for (Object each : path) {
            key.append(each instanceof Integer ? "[" + each + "]" : (key.isEmpty() ? "" : ".") + each);
        }
        return key.toString();
    }

    /** The line where the key stands, or the nearest section that it belongs to. */
    private static String where(JsonProcessingException error, List<Object> path, String file) {
        if (file == null) {
            return "";
        }
        for (int length = path.size(); length > 0; length--) {
            int line = line(path.subList(0, length), file);
            if (line > 0) {
                return " (line " + line + ")";
            }
        }
        return error.getLocation() == null ? "" : " (line " + error.getLocation().getLineNr() + ")";
    }

    private static int line(List<Object> path, String file) {
        JsonPointer wanted = JsonPointer.empty();
        for (Object each : path) {
            wanted = each instanceof Integer index ? wanted.appendIndex(index) : wanted.appendProperty((String) each);
        }
        try (JsonParser parser = new YAMLFactory().createParser(file)) {
            while (parser.nextToken() != null) {
                if (parser.getParsingContext().pathAsPointer().equals(wanted)) {
                    return parser.currentTokenLocation().getLineNr();
                }
            }
        } catch (IOException e) {
            // It was read before: nothing is known but that.
        }
        return 0;
    }
}
