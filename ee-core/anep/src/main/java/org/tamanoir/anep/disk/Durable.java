package org.tamanoir.anep.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Files that are whole or not there, whenever the machine stops: content is forced to the disk before its name, and the name before
 * anybody is told.
 */
public final class Durable {
    private Durable() {
    }

    /** Where the content that is to take a file's place is written; a crash may leave it behind. */
    public static Path part(Path file) {
        return file.resolveSibling(file.getFileName() + ".part");
    }

    /** Forces a file's content to the disk. */
    public static void force(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
    }

    /** Forces the names in a directory to the disk. */
    public static void forceNames(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** Gives a file, whose content has been forced, its name; on the same file system. What had that name is gone. */
    public static void rename(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        forceNames(to.toAbsolutePath().getParent());
    }

    /** Replaces a file as a whole: after a crash it has the one content or the other. @throws IOException and the file is as it was */
    public static void replace(Path file, byte[] content) throws IOException {
        Path next = part(file);
        try (FileChannel channel = FileChannel.open(next, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE)) {
            writeAndForce(channel, ByteBuffer.wrap(content));
        } catch (FileSystemException e) {
            // It could not be opened, and whatever has that name is not ours.
            throw e;
        } catch (IOException e) {
            Files.deleteIfExists(next);
            throw e;
        }
        rename(next, file);
    }

    private static void writeAndForce(FileChannel channel, ByteBuffer octets) throws IOException {
        while (octets.hasRemaining()) {
            channel.write(octets);
        }
        channel.force(true);
    }

    /** The same with text, in UTF-8. */
    public static void replace(Path file, String text) throws IOException {
        replace(file, text.getBytes(StandardCharsets.UTF_8));
    }
}
