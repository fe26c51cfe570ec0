package org.tamanoir.http;

/** Answers the requests of a route. Called on a worker thread, for different requests at the same time. */
@FunctionalInterface
public interface Handler {
    /**
     * @throws org.tamanoir.anep.AnepException becomes an error response with its code, as {@link HttpError} says
     * @throws Exception anything else becomes 500 with EE-599 and is logged
     */
    Response handle(Request request) throws Exception;
}
