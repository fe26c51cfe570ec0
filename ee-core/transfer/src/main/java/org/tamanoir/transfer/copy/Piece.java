package org.tamanoir.transfer.copy;

import org.tamanoir.transfer.Extent;

/** An extent of a file that is copied; of a small one the whole, which may be nothing. @param extent null for a file without octets */
record Piece(FileJob file, Extent extent) {
    long offset() {
        return extent == null ? 0 : extent.offset();
    }

    int octets() {
        return extent == null ? 0 : extent.length();
    }

    /** Written out: the JVM would make a dozen classes for that of a record while the first piece waits (decision 0027). */
    @Override
    public int hashCode() {
        return 31 * file.hashCode() + Long.hashCode(offset());
    }
}
