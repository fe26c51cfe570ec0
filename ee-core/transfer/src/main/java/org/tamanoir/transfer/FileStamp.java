package org.tamanoir.transfer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.concurrent.TimeUnit;
import org.tamanoir.client.file.FileMarks;

/**
 * What a file is known by while it is copied, and what its copy keeps of it. A source whose size or time differs from what they were is another file.
 *
 * @param size octets
 * @param modified nanoseconds since 1970
 * @param mode permissions, 0 to 0777: no bit that lends a program somebody else's rights (chmod(2))
 */
public record FileStamp(long size, long modified, int mode) {
    private static final int PERMISSIONS = 0777;

    public FileStamp {
        if (size < 0) {
            throw new IllegalArgumentException("a file of " + size + " octets");
        }
        mode &= PERMISSIONS;
    }

    /** Of a file of this machine. */
    public static FileStamp of(Path file) throws IOException {
        return of(Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS));
    }

    public static FileStamp of(PosixFileAttributes attributes) {
        return new FileStamp(attributes.isDirectory() ? 0 : attributes.size(), attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS), FileMarks.mode(attributes.permissions()));
    }

    /** Whether it is of the same content, as far as can be told without reading it. */
    public boolean sameContent(FileStamp other) {
        return size == other.size && modified == other.modified;
    }

    /** Gives a file the permissions and the time. Its owner can always read it. */
    public void put(Path file) throws IOException {
        FileMarks.put(file, mode, modified);
    }
}
