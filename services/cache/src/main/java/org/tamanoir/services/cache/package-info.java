/**
 * A cache for HTTP/1.1 in the way of streams. {@link org.tamanoir.services.cache.HttpCache} reads the options and opens streams; a
 * {@link org.tamanoir.services.cache.CacheStream} reads one program's requests, one after the other, and answers them from what is kept, from what others are
 * fetching, or by the origin. Rules are in {@code rules}, messages in {@code http}, what is kept in {@code objects}.
 *
 * <p>Uses the service API, Netty's buffers and Caffeine (inside the bundle).
 */
package org.tamanoir.services.cache;
