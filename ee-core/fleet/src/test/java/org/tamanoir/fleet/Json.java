package org.tamanoir.fleet;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;

/** JSON that is easy to read in a test: YAML in flow style. */
public final class Json {
    private static final YAMLMapper MAPPER = new YAMLMapper();

    private Json() {
    }

    public static JsonNode of(String text) {
        try {
            return MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(text, e);
        }
    }
}
