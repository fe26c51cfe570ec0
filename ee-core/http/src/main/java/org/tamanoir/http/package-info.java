/**
 * A small HTTP/1.1 server (RFC 9110 with ranges of files, RFC 9112) for the repository and for a node's admin API.
 *
 * <p>{@link org.tamanoir.http.HttpServer} listens, {@link org.tamanoir.http.Route}s say which {@link org.tamanoir.http.Handler} answers
 * which method and path, a handler turns a {@link org.tamanoir.http.Request} into a {@link org.tamanoir.http.Response}. Handlers run on
 * a bounded pool of workers, never on an event loop; every wait, size and number has a limit in {@link org.tamanoir.http.HttpLimits}.
 *
 * <p>May use Netty, Jackson and the error codes of {@code org.tamanoir.anep}; knows nothing of bundles or nodes.
 */
package org.tamanoir.http;
