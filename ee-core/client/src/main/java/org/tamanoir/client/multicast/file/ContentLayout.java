package org.tamanoir.client.multicast.file;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/** Where the list of files and the files themselves stand in the content of a session: one behind the other. */
final class ContentLayout {
    /** Where each file begins, and at the end where the content ends. */
    private final long[] begins;

    /** Reads octets of a file, from an offset in it on, until the buffer is full. @return whether they are to be had */
    @FunctionalInterface
    interface Reader<E extends Exception> {
        boolean read(int file, long at, ByteBuffer into) throws E;
    }

    /** @param head octets of the list @param sizes of the files, in their order */
    ContentLayout(int head, List<Long> sizes) {
        begins = new long[sizes.size() + 1];
        begins[0] = head;
        for (int i = 0; i < sizes.size(); i++) {
            begins[i + 1] = begins[i] + sizes.get(i);
        }
    }

    long begin(int file) {
        return begins[file];
    }

    long end(int file) {
        return begins[file + 1];
    }

    /** Of everything. */
    long octets() {
        return begins[begins.length - 1];
    }

    /** Fills a buffer with the content from an offset on. @return whether all of it is to be had */
    <E extends Exception> boolean fill(ByteBuffer into, long from, byte[] head, Reader<E> files) throws E {
        long at = from;
        if (at < head.length) {
            int length = (int) Math.min(into.remaining(), head.length - at);
            into.put(head, (int) at, length);
            at += length;
        }
        for (int file = fileAt(at); into.hasRemaining(); file++) {
            int length = (int) Math.min(into.remaining(), end(file) - at);
            if (length > 0) {
                if (!files.read(file, at - begin(file), into.slice(into.position(), length))) {
                    return false;
                }
                into.position(into.position() + length);
                at += length;
            }
        }
        return true;
    }

    /** The last file that begins at or before a place. */
    private int fileAt(long at) {
        int found = Arrays.binarySearch(begins, 0, begins.length - 1, at);
        return found >= 0 ? found : Math.max(0, -found - 2);
    }
}
