package org.tamanoir.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.PrintWriter;

/** Prints one object as JSON, as every command does with {@code --json}. */
public final class Json {
    private static final ObjectMapper MAPPER = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private Json() {
    }

    public static void print(PrintWriter out, Object value) {
        print(out, MAPPER.writer(), value);
    }

    /** The same on one line, where others follow. */
    static void line(PrintWriter out, Object value) {
        print(out, MAPPER.writer().without(SerializationFeature.INDENT_OUTPUT), value);
    }

    private static void print(PrintWriter out, ObjectWriter writer, Object value) {
        try {
            out.println(writer.writeValueAsString(value));
            out.flush();
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
