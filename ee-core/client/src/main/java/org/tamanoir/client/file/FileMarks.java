package org.tamanoir.client.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** What a file keeps beside its octets: who may read, write and execute it, and when it was changed last. */
public final class FileMarks {
    /** Read, write, execute for owner, group and others: no bit that lends a program somebody else's rights (chmod(2)). */
    private static final int PERMISSIONS = 0777;
    /** A receiver reads what it has put into its place: to compare it, and for the command that follows. */
    private static final int OWNER_READS = 0400;

    private FileMarks() {
    }

    /** The permissions of a file, 0 to 0777; null on a file system that has none. */
    public static Integer mode(Path file) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        if (view == null) {
            return null;
        }
        return mode(view.readAttributes().permissions());
    }

    /** Permissions as a number, 0 to 0777. */
    public static int mode(Set<PosixFilePermission> permissions) {
        int mode = 0;
        for (PosixFilePermission permission : permissions) {
            mode |= bit(permission);
        }
        return mode;
    }

    /** Nanoseconds since 1970; null for a time so far away that they cannot be counted in 64 bits. */
    public static Long nanos(FileTime time) {
        long nanos = time.to(TimeUnit.NANOSECONDS);
        return nanos == Long.MAX_VALUE || nanos == Long.MIN_VALUE ? null : nanos;
    }

    /**
     * Gives a file permissions and a time.
     *
     * @param mode permissions, of which those that lend a program somebody else's rights are left out; null for none
     * @param modified nanoseconds since 1970; null for none
     */
    public static void put(Path file, Integer mode, Long modified) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        if (mode != null && view != null) {
            view.setPermissions(permissions(mode & PERMISSIONS | OWNER_READS));
        }
        if (modified != null) {
            Files.setLastModifiedTime(file, FileTime.from(modified, TimeUnit.NANOSECONDS));
        }
    }

    private static Set<PosixFilePermission> permissions(int mode) {
        Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
        for (PosixFilePermission permission : PosixFilePermission.values()) {
            if ((mode & bit(permission)) != 0) {
                permissions.add(permission);
            }
        }
        return permissions;
    }

    /** Java has them in the order of the octal digits: OWNER_READ is 0400, OTHERS_EXECUTE 0001. */
    private static int bit(PosixFilePermission permission) {
        return OWNER_READS >> permission.ordinal();
    }
}
