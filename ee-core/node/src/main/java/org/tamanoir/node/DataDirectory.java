package org.tamanoir.node;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.settings.PrivateDirectory;

/** The directory of one node: locked while the node runs, and the place where its id stays the same over restarts. */
final class DataDirectory implements AutoCloseable {
    private final Path path;
    private final FileChannel lock;

    /** @throws AnepException EE-503 if another node uses it, or it cannot be used */
    DataDirectory(Path path) {
        this.path = path;
        FileChannel channel = null;
        try {
            PrivateDirectory.make(path);
            channel = FileChannel.open(path.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock held = channel.tryLock();
            if (held == null) {
                throw new OverlappingFileLockException();
            }
            lock = channel;
        } catch (IOException e) {
            throw new AnepException(ErrorCode.DATA_DIRECTORY, "cannot use " + path + ": " + AnepException.reason(e), e);
        } catch (OverlappingFileLockException e) {
            throw new AnepException(ErrorCode.DATA_DIRECTORY, path + " is in use by another node; give each its own with --data", e);
        }
    }

    Path path() {
        return path;
    }

    /** The id of this node: random, made at its first start. */
    long nodeId() {
        Path file = path.resolve("node-id");
        try {
            if (Files.exists(file) && Files.size(file) > 0) {
                return Long.parseUnsignedLong(Files.readString(file).trim(), 16);
            }
            long id = new SecureRandom().nextLong();
            Files.writeString(file, String.format("%016x%n", id));
            return id;
        } catch (IOException | NumberFormatException e) {
            throw new AnepException(ErrorCode.DATA_DIRECTORY, "cannot read or write " + file + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        try {
            lock.close();
        } catch (IOException e) {
            throw new AnepException(ErrorCode.DATA_DIRECTORY, "cannot unlock " + path + ": " + e.getMessage(), e);
        }
    }
}
