package org.tamanoir.services.cache.http;

/**
 * A field of a message.
 *
 * @param name  as it was written; two names are the same whatever the case of their letters
 * @param value without the white space around it
 */
public record Field(String name, String value) {
    public boolean is(String other) {
        return name.equalsIgnoreCase(other);
    }
}
