/**
 * A repository that follows another: what its upstream offers it fetches, checks like an upload, and keeps, whatever becomes of the
 * upstream.
 *
 * <p>{@link org.tamanoir.repository.mirror.MirrorCore} decides and has no file, socket or thread: time, the upstream's listing and what
 * happened go in, what to do next comes out. {@link org.tamanoir.repository.mirror.Mirror} does it, one thing at a time. A mirror adds and
 * retires; it never replaces a version and never takes one away because an index has lost it. At most one transfer is half done:
 *
 * <pre>
 * mirror/SHA.part    in the data directory, beside {@code incoming/}; survives a restart
 * </pre>
 *
 * <p>{@link org.tamanoir.repository.mirror.MetadataCopy} copies what the upstream publishes by TUF. May use the bundles, the store and the metadata of the
 * repository and the HTTP client.
 */
package org.tamanoir.repository.mirror;
