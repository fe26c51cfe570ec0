package org.tamanoir.repository.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Files that are whole or not there, whenever the machine stops: content is forced to the disk before its name, and the name before
 * anybody is told.
 */
final class Durable {
    private Durable() {
    }

    /** Forces a file's content to the disk. */
    static void force(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
    }

    /** Forces the names in a directory to the disk. */
    static void forceNames(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** Gives a file, whose content has been forced, its name; on the same file system. */
    static void rename(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        forceNames(to.getParent());
    }

    /** Replaces a file as a whole. */
    static void replace(Path file, byte[] content) throws IOException {
        Path next = file.resolveSibling(file.getFileName() + ".next");
        try (FileChannel channel = FileChannel.open(next, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE)) {
            ByteBuffer octets = ByteBuffer.wrap(content);
            while (octets.hasRemaining()) {
                channel.write(octets);
            }
            channel.force(true);
        } catch (IOException e) {
            Files.deleteIfExists(next);
            throw e;
        }
        rename(next, file);
    }
}
