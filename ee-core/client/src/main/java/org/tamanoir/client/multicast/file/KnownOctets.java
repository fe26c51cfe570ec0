package org.tamanoir.client.multicast.file;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Octets of a file of the session that were here before it. */
interface KnownOctets extends Closeable {
    /**
     * Reads some of them.
     *
     * @param at   the first, from the beginning of the file
     * @param into as many as it has room for
     * @return whether all of them are here
     */
    boolean read(long at, ByteBuffer into) throws IOException;
}
