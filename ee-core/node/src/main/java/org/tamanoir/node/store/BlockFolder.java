package org.tamanoir.node.store;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Blocks in files, each named by the SHA-256 of its octets, in 256 folders by its first two digits. A file gets its name when it is whole, and is read against it. What
 * is there is known in the order in which it was asked for; the first call reads the folders, in the order in which the files were written. For several threads;
 * files are read and written outside the lock, and a file that is not there when it is opened is a block that is not there.
 */
final class BlockFolder {
    private static final Logger LOG = LoggerFactory.getLogger(BlockFolder.class);
    private static final Pattern NAME = Pattern.compile("[0-9a-f]{64}");
    private static final String PART = ".part";
    private static final int FOLDER = 2;

    private final Path directory;
    /** Octets of each block, by its name; the one that was asked for last is the last. */
    private Map<String, Integer> blocks;
    private long octets;

    BlockFolder(Path directory) {
        this.directory = directory;
    }

    static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    /**
     * Keeps a block.
     *
     * @param most octets of all blocks; others are thrown away for it
     * @return its name; null if it alone is more than there may be
     */
    String put(byte[] block, long most) throws IOException {
        String name = Sha256.hex(block);
        if (block.length > most) {
            return null;
        }
        if (!touch(name)) {
            Path file = file(name);
            Files.createDirectories(file.getParent());
            Path part = Files.createTempFile(file.getParent(), name.substring(0, FOLDER), PART);
            try {
                Files.write(part, block);
                Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException e) {
                Files.deleteIfExists(part);
                throw e;
            }
            add(name, block.length);
        }
        for (String old : tooMuch(most)) {
            Files.deleteIfExists(file(old));
        }
        return name;
    }

    /** The octets of a block; null if it is not there, or not what it was. */
    ByteBuf get(String name) throws IOException {
        if (!touch(name)) {
            return null;
        }
        byte[] found;
        try {
            found = Files.readAllBytes(file(name));
        } catch (NoSuchFileException e) {
            forget(name);
            return null;
        }
        if (Sha256.hex(found).equals(name)) {
            return Unpooled.wrappedBuffer(found);
        }
        LOG.warn("a block under {} is damaged and thrown away: {} octets that are not {}", directory, found.length, name);
        remove(name);
        return null;
    }

    void remove(String name) throws IOException {
        forget(name);
        Files.deleteIfExists(file(name));
    }

    private Path file(String name) {
        return directory.resolve(name.substring(0, FOLDER)).resolve(name);
    }

    synchronized boolean has(String name) {
        return all().containsKey(name);
    }

    synchronized long octets() {
        all();
        return octets;
    }

    private synchronized boolean touch(String name) {
        return all().get(name) != null;
    }

    private synchronized void add(String name, int length) {
        Integer before = all().put(name, length);
        octets += length - (before == null ? 0 : before);
    }

    private synchronized void forget(String name) {
        Integer before = all().remove(name);
        octets -= before == null ? 0 : before;
    }

    /** Takes out what is too much, the one that was not asked for the longest first. */
    private synchronized List<String> tooMuch(long most) {
        List<String> old = new ArrayList<>();
        for (var each = all().entrySet().iterator(); octets > most && each.hasNext();) {
            Map.Entry<String, Integer> block = each.next();
            octets -= block.getValue();
            old.add(block.getKey());
            each.remove();
        }
        return old;
    }

    private Map<String, Integer> all() {
        if (blocks == null) {
            blocks = new LinkedHashMap<>(16, 0.75f, true);
            read();
        }
        return blocks;
    }

    private record Found(String name, int length, long written) {
    }

    private void read() {
        List<Found> found = new ArrayList<>();
        try {
            if (Files.isDirectory(directory)) {
                try (DirectoryStream<Path> folders = Files.newDirectoryStream(directory)) {
                    for (Path folder : folders) {
                        if (Files.isDirectory(folder)) {
                            read(folder, found);
                        }
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        found.sort(Comparator.comparingLong(Found::written));
        found.forEach(each -> {
            blocks.put(each.name, each.length);
            octets += each.length;
        });
    }

    private static void read(Path folder, List<Found> found) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                String name = file.getFileName().toString();
                if (isName(name)) {
                    found.add(new Found(name, (int) Files.size(file), Files.getLastModifiedTime(file).toMillis()));
                } else if (name.endsWith(PART)) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    /** The octets of a buffer, which is released. */
    static byte[] octetsOf(ByteBuf block) {
        try {
            return ByteBufUtil.getBytes(block);
        } finally {
            block.release();
        }
    }
}
