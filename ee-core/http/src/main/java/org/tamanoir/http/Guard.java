package org.tamanoir.http;

/**
 * Decides whether a request may be made, from its head alone: it is called before any of the body is read, on the event loop, so it
 * must not wait for anything.
 */
@FunctionalInterface
public interface Guard {
    /** Lets everyone pass. */
    Guard OPEN = request -> {
    };

    /** @throws org.tamanoir.anep.AnepException if the request is refused */
    void check(Request request);
}
