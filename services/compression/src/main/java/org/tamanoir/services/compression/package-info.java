/**
 * Compression between the first and the last node of a path. {@link org.tamanoir.services.compression.Compression} reads the options and
 * opens streams; a stream has a {@link org.tamanoir.services.compression.Compressor} for one direction and a
 * {@link org.tamanoir.services.compression.Restorer} for the other; both borrow a {@link org.tamanoir.services.compression.Codec} for the
 * time of one packet.
 *
 * <p>Uses the service API, {@code org.tamanoir.anep}, Netty's buffers, zstd-jni (inside the bundle) and {@code java.util.zip}.
 */
package org.tamanoir.services.compression;
