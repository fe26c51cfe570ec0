package org.tamanoir.cluster.ipvs;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** The engine's directory, which one front-end has at a time. The lock goes with the process, also when it is killed. */
final class OwnDirectory implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OwnDirectory.class);
    private final Path path;
    private final FileChannel channel;

    /** Makes the directory, for its owner alone, and locks it. @throws AnepException EE-905 if another front-end has it */
    OwnDirectory(Path path) {
        this.path = path;
        try {
            Files.createDirectories(path.getParent());
            if (!Files.isDirectory(path)) {
                Files.createDirectory(path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            }
            channel = FileChannel.open(path.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new AnepException(ErrorCode.KEEPALIVED, "cannot use " + path + " for keepalived: " + AnepException.reason(e), e);
        }
        try {
            if (!locked(channel)) {
                channel.close();
                throw new AnepException(ErrorCode.KEEPALIVED, "another front-end runs with the directory " + path);
            }
        } catch (IOException e) {
            throw new AnepException(ErrorCode.KEEPALIVED, "cannot lock " + path + ": " + AnepException.reason(e), e);
        }
    }

    private static boolean locked(FileChannel channel) throws IOException {
        try {
            FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    Path path() {
        return path;
    }

    /** Gives the lock back, and takes the directory away if nothing else is in it. */
    @Override
    public void close() {
        try {
            Files.deleteIfExists(path.resolve("lock"));
            channel.close();
            Files.deleteIfExists(path);
        } catch (DirectoryNotEmptyException e) {
            LOG.debug("{} has files of others", path);
        } catch (IOException e) {
            LOG.warn("cannot clean up {}: {}", path, AnepException.reason(e));
        }
    }
}
