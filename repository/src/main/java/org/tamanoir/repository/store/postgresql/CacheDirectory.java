package org.tamanoir.repository.store.postgresql;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.repository.store.BundleCache;
import org.tamanoir.repository.store.DataDirectory;
import org.tamanoir.settings.PrivateDirectory;

/**
 * The directory of one process whose repository is in a database: taken by it alone, with uploads under way and a cache of bundles. All of it may be lost.
 *
 * <pre>
 * lock               held by the process
 * in-database        says that the repository is not here
 * incoming/          uploads under way; emptied at the start
 * cache/SHA.jar      bundles that were asked for
 * facts/SHA.json     what is known of bundles that are in a registry
 * </pre>
 */
final class CacheDirectory implements Closeable {
    private final Path root;
    private final FileChannel lock;

    private CacheDirectory(Path root, FileChannel lock) {
        this.root = root;
        this.lock = lock;
    }

    /** @throws AnepException EE-503 if another process has it, if it holds a repository of its own, or if it cannot be used */
    static CacheDirectory open(Path root) {
        FileChannel channel = null;
        try {
            PrivateDirectory.make(root);
            if (Files.exists(root.resolve(DataDirectory.CATALOGUE))) {
                throw unusable(root, "it holds a repository of its own, which would not be in the database: copy it with 'tamanoir repository import --from " + root
                        + "', and give this process another directory", null);
            }
            channel = FileChannel.open(root.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (!lock(channel)) {
                throw unusable(root, "another process is using it; each needs its own", null);
            }
            CacheDirectory directory = new CacheDirectory(root, channel);
            directory.prepare();
            return directory;
        } catch (IOException e) {
            close(channel);
            throw unusable(root, AnepException.reason(e), e);
        } catch (AnepException e) {
            close(channel);
            throw e;
        }
    }

    private static boolean lock(FileChannel channel) throws IOException {
        try {
            FileLock taken = channel.tryLock();
            return taken != null;
        } catch (OverlappingFileLockException e) {
            // Taken by this very process.
            return false;
        }
    }

    private void prepare() throws IOException {
        Files.writeString(root.resolve(DataDirectory.ELSEWHERE), "The repository is in a database. Here is what one process has fetched from there; it may be removed.\n");
        Files.createDirectories(incoming());
        try (DirectoryStream<Path> left = Files.newDirectoryStream(incoming())) {
            for (Path file : left) {
                Files.delete(file);
            }
        }
    }

    Path incoming() {
        return root.resolve("incoming");
    }

    BundleCache cache(long octets) throws IOException {
        return new BundleCache(root.resolve("cache"), octets);
    }

    private static AnepException unusable(Path root, String why, Exception cause) {
        return new AnepException(ErrorCode.DATA_DIRECTORY, "the directory " + root + " cannot be used: " + why, cause);
    }

    @Override
    public void close() {
        close(lock);
    }

    private static void close(FileChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            throw new IllegalStateException("a file that is only locked cannot be closed", e);
        }
    }
}
