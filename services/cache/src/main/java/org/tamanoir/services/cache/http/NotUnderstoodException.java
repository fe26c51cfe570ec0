package org.tamanoir.services.cache.http;

/** Octets that are no HTTP/1.1 message which every party would read in the same way. The connection carries something else, or somebody tries to have two parties read it differently. */
public final class NotUnderstoodException extends Exception {
    private static final long serialVersionUID = 1L;

    public NotUnderstoodException(String why) {
        super(why, null, false, false);
    }
}
