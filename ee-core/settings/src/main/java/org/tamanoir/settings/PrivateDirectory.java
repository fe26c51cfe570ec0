package org.tamanoir.settings;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The data directory of a server: nobody but its owner looks into it (mode 0700). */
public final class PrivateDirectory {
    private static final Logger LOG = LoggerFactory.getLogger(PrivateDirectory.class);
    private static final Set<PosixFilePermission> OWNER_ALONE = PosixFilePermissions.fromString("rwx------");
    /** {@code S_ISVTX} of chmod(2): everybody may put files there, as in {@code /tmp}. */
    private static final int STICKY = 01000;

    private PrivateDirectory() {
    }

    /**
     * Makes a directory that is missing, with its parents, and takes the rights of others away from one that is there. A directory of another
     * user is used as it is, with a warning.
     *
     * @throws IOException if it cannot be made, or if it is one that everybody shares, such as {@code /tmp}
     */
    public static void make(Path path) throws IOException {
        // Not the file store: it is looked up in the table of mounts, which a sandbox may hide.
        if (!path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.createDirectories(path);
            return;
        }
        FileAttribute<?> mode = PosixFilePermissions.asFileAttribute(OWNER_ALONE);
        Files.createDirectories(path, mode);
        Set<PosixFilePermission> now = Files.getPosixFilePermissions(path);
        if (OWNER_ALONE.containsAll(now)) {
            return;
        }
        if (((int) Files.getAttribute(path, "unix:mode") & STICKY) != 0) {
            throw new FileSystemException(path.toString(), null, "everybody on this machine may write there; name a directory below it");
        }
        if (!Files.getOwner(path).equals(Files.getOwner(Path.of("/proc/self")))) {
            LOG.warn("{} belongs to {} and is open to others ({})", path, Files.getOwner(path), PosixFilePermissions.toString(now));
            return;
        }
        Files.setPosixFilePermissions(path, OWNER_ALONE);
    }
}
