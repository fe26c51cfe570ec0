package org.tamanoir.http;

/** Is told of every request that has an answer, refused ones too, just before the answer leaves. On an event loop: it may write a line, not wait. */
@FunctionalInterface
public interface Journal {
    /** Keeps nothing. */
    Journal NONE = (request, status) -> {
    };

    /** @param status of the answer */
    void answered(Request request, int status);
}
