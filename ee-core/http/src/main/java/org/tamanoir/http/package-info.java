/**
 * A small HTTP/1.1 server (RFC 9110 with ranges of files, RFC 9112) for repositories, front-ends, code servers and the admin API of nodes: over TCP,
 * over TLS 1.3, or on a Unix socket. {@link org.tamanoir.http.Caller} is who asks, {@link org.tamanoir.http.Access} says what they may do,
 * {@link org.tamanoir.http.Journal} hears of every change.
 *
 * <p>{@link org.tamanoir.http.HttpServer} listens, {@link org.tamanoir.http.Route}s say which {@link org.tamanoir.http.Handler} answers
 * which method and path, a handler turns a {@link org.tamanoir.http.Request} into a {@link org.tamanoir.http.Response}. Handlers run on
 * a bounded pool of workers, never on an event loop; every wait, size and number has a limit in {@link org.tamanoir.http.HttpLimits}.
 *
 * <p>May use Netty, Jackson and the error codes of {@code org.tamanoir.anep}; knows nothing of bundles or nodes.
 */
package org.tamanoir.http;
