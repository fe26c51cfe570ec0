package org.tamanoir.transfer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * What a file is known by while it is copied, and what its copy keeps of it. A source whose size or time differs from what they were is another file.
 *
 * @param size octets
 * @param modified nanoseconds since 1970
 * @param mode permissions, 0 to 0777: no bit that lends a program somebody else's rights (chmod(2))
 */
public record FileStamp(long size, long modified, int mode) {
    private static final int PERMISSIONS = 0777;
    private static final int OWNER_READS = 0400;

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
        int mode = 0;
        for (PosixFilePermission permission : attributes.permissions()) {
            mode |= bit(permission);
        }
        return new FileStamp(attributes.isDirectory() ? 0 : attributes.size(), attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS), mode);
    }

    /** Whether it is of the same content, as far as can be told without reading it. */
    public boolean sameContent(FileStamp other) {
        return size == other.size && modified == other.modified;
    }

    /** Gives a file the permissions and the time. Its owner can always read it. */
    public void put(Path file) throws IOException {
        Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
        for (PosixFilePermission permission : PosixFilePermission.values()) {
            if (((mode | OWNER_READS) & bit(permission)) != 0) {
                permissions.add(permission);
            }
        }
        Files.setPosixFilePermissions(file, permissions);
        Files.setLastModifiedTime(file, FileTime.from(modified, TimeUnit.NANOSECONDS));
    }

    /** Java has them in the order of the octal digits: OWNER_READ is 0400, OTHERS_EXECUTE 0001. */
    private static int bit(PosixFilePermission permission) {
        return OWNER_READS >> permission.ordinal();
    }
}
