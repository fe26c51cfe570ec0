package org.tamanoir.client.multicast.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Reads a file in small parts that mostly follow each other, with few calls of the kernel. */
final class ReadAhead {
    private static final int WINDOW = 1 << 20;

    /** Called after the disk was read. */
    @FunctionalInterface
    interface Check {
        void read() throws IOException;
    }

    private final FileChannel channel;
    private final Check check;
    private final ByteBuffer window = ByteBuffer.allocate(WINDOW).limit(0);
    private long from;

    ReadAhead(FileChannel channel, Check check) {
        this.channel = channel;
        this.check = check;
    }

    /** @return whether the file has so many octets there */
    boolean read(long position, ByteBuffer into) throws IOException {
        for (long at = position; into.hasRemaining(); ) {
            if (at < from || at >= from + window.limit()) {
                window.clear();
                from = at;
                while (window.hasRemaining() && channel.read(window, from + window.position()) > 0) {
                    // One read may bring less than it could.
                }
                window.flip();
                check.read();
                if (!window.hasRemaining()) {
                    return false;
                }
            }
            int offset = (int) (at - from);
            int length = Math.min(into.remaining(), window.limit() - offset);
            into.put(window.slice(offset, length));
            at += length;
        }
        return true;
    }
}
