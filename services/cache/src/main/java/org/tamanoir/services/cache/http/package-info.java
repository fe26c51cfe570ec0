/**
 * HTTP/1.1 messages (RFC 9112) as they come in pieces: the {@link org.tamanoir.services.cache.http.HeadReader} finds where a head ends, the
 * {@link org.tamanoir.services.cache.http.Body} where its content does. No input or output; whatever two readers could read in two ways is refused.
 *
 * <p>Uses Netty's buffers and Java.
 */
package org.tamanoir.services.cache.http;
