package org.tamanoir.trust;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;

/** A file that may change: what it looked like when it was last read. */
final class WatchedFile {
    private record Look(long size, FileTime modified, Object identity) {
    }

    private final Path path;
    private Look last;

    /** @param path null for no file, which never changes */
    WatchedFile(Path path) {
        this.path = path;
    }

    Path path() {
        return path;
    }

    /** Whether size, date or identity are others than at the last call; one look at the directory, nothing of the file is read. */
    boolean hasChanged() {
        Look now = path == null ? null : look();
        boolean changed = now == null ? last != null : !now.equals(last);
        last = now;
        return changed;
    }

    /** Null if it is not there. */
    private Look look() {
        try {
            BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
            return new Look(attributes.size(), attributes.lastModifiedTime(), attributes.fileKey());
        } catch (IOException e) {
            return null;
        }
    }

    /** The whole file, if it is not larger than allowed. */
    static byte[] read(Path file, int most) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] content = in.readNBytes(most + 1);
            if (content.length > most) {
                throw new IOException("it is larger than " + most + " octets");
            }
            return content;
        }
    }
}
