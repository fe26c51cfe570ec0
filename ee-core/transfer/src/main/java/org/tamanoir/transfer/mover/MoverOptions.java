package org.tamanoir.transfer.mover;

import java.net.InetSocketAddress;
import java.nio.file.Path;

/**
 * How a mover serves.
 *
 * @param listen where streams come in; port 0 for any
 * @param root the directory that it serves
 * @param token what copies have to show; null if nothing
 * @param readOnly whether nothing is written
 * @param maxStreams streams at a time
 * @param memory octets of extents in memory, of all streams together
 */
public record MoverOptions(InetSocketAddress listen, Path root, String token, boolean readOnly, int maxStreams, long memory) {
    public static final int STREAMS = 256;
    public static final long MEMORY = 256L << 20;
}
