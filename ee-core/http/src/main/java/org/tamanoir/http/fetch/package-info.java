/**
 * The other end of {@code org.tamanoir.http}: a client for repositories and admin APIs that turns what goes wrong into errors with
 * codes, and bounds what it reads and how long it waits. {@link org.tamanoir.http.fetch.HttpFetch} is the way in; a server's events
 * come from it as an {@link org.tamanoir.http.fetch.EventFeed}.
 *
 * <p>May use the JDK's HTTP client, Jackson, and the error codes of {@code org.tamanoir.anep}.
 */
package org.tamanoir.http.fetch;
