package org.tamanoir.membership;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

/** Writes messages: the fields of the records by their names, in their order. What the readers refuse can be written, too: they decide. */
public final class MessageWriter {
    private static final ObjectMapper JSON = new ObjectMapper();

    private MessageWriter() {
    }

    /** The body of {@code PUT /members/NAME}. */
    public static byte[] write(Report report) {
        return octets(report);
    }

    /** The answer to it. */
    public static byte[] write(Welcome welcome) {
        return octets(welcome);
    }

    private static byte[] octets(Object message) {
        try {
            return JSON.writeValueAsBytes(message);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
