package org.tamanoir.client.multicast.file;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.file.FileName;
import org.tamanoir.dyram.wire.SessionTerms;

/**
 * What a receiver has of a session that is not complete: a folder {@code .tamanoir-SESSION} in its output directory, with a description, and
 * the packets that came. It is locked while a receiver works on it.
 */
final class PartFolder implements AutoCloseable {
    /** How long the folder of another session is kept that nobody came back for. */
    static final Duration KEPT = Duration.ofDays(7);

    private static final String DESCRIPTION = "session.json";
    private static final String PACKETS = "packets";
    private static final String DIGEST = "sha256";
    private static final int DIGEST_SIZE = 32;
    private static final ObjectMapper MAPPER = JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

    /**
     * What tells one session, and one receiver of it, from others.
     *
     * @param session  its number
     * @param group    as text
     * @param first    sequence number of the first packet
     * @param packets  how many
     * @param size     octets of content in a packet
     * @param salt     of its key
     * @param name     of the receiver
     * @param instance of the receiver
     */
    record Description(long session, String group, long first, long packets, int size, long salt, String name, long instance) {
        static Description of(long session, SessionTerms terms, String name, long instance) {
            return new Description(session, text(terms.group()), terms.first(), terms.packets(), terms.packetSize(), terms.salt(),
                    name, instance);
        }

        /** What is needed to go on without the source. */
        SessionTerms terms(InetSocketAddress address) {
            return new SessionTerms(address, first, packets, size, 0, true, salt);
        }

        /** The same for the same group, however it was written. */
        private static String text(InetSocketAddress group) {
            return group.getAddress().getHostAddress().replaceFirst("%.*", "") + " " + group.getPort();
        }
    }

    private final Path path;
    private final Description description;
    private final FileChannel packets;

    private PartFolder(Path path, Description description, FileChannel packets) {
        this.path = path;
        this.description = description;
        this.packets = packets;
    }

    /**
     * The folder of a session: the one that is there, or a new one.
     *
     * @param output directory that exists
     * @throws AnepException EE-503 if another receiver uses it, EE-409 if it cannot be made
     */
    static PartFolder open(Path output, Description description) {
        Path path = path(output, description);
        try {
            if (Files.isDirectory(path)) {
                Description there = read(path);
                if (there != null && !there.name().equals(description.name())) {
                    throw inUse(path, "'" + there.name() + "' has it");
                }
                FileChannel locked = lock(path);
                if (locked == null) {
                    throw inUse(path, "another receiver works on it");
                }
                if (description.equals(there)) {
                    return new PartFolder(path, there, locked);
                }
                locked.close();
                delete(path);
            }
            Files.createDirectory(path);
            Path fresh = Files.write(path.resolve(DESCRIPTION + ".new"), MAPPER.writeValueAsBytes(description));
            Files.move(fresh, path.resolve(DESCRIPTION), StandardCopyOption.ATOMIC_MOVE);
            return new PartFolder(path, description, lock(path));
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "the folder '" + path + "' for what comes cannot be made: " + AnepException.reason(e), e);
        }
    }

    static Path path(Path output, Description description) {
        return output.resolve(FileName.PART_PREFIX + String.format("%016x", description.session()));
    }

    /** Fails if another receiver works on a folder. @throws AnepException EE-503 */
    static void checkFree(Path output, Description description) {
        Path path = path(output, description);
        try (FileChannel locked = lock(path)) {
            if (locked == null) {
                throw inUse(path, "another receiver works on it");
            }
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "'" + path + "': " + AnepException.reason(e), e);
        }
    }

    private static AnepException inUse(Path path, String who) {
        return new AnepException(ErrorCode.DATA_DIRECTORY, "the folder '" + path + "' is in use: " + who
                + "; give every receiver an output directory of its own");
    }

    /** The description in a folder; null if there is none that can be read. */
    private static Description read(Path path) {
        try {
            return MAPPER.readValue(path.resolve(DESCRIPTION).toFile(), Description.class);
        } catch (IOException e) {
            return null;
        }
    }

    /** The file of packets, locked; null if another has it. */
    private static FileChannel lock(Path path) throws IOException {
        FileChannel channel = FileChannel.open(path.resolve(PACKETS), StandardOpenOption.CREATE, StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        FileLock lock = null;
        try {
            lock = channel.tryLock();
        } catch (OverlappingFileLockException e) {
            // Another receiver in this program.
        } finally {
            if (lock == null) {
                channel.close();
            }
        }
        return lock == null ? null : channel;
    }

    /** Descriptions of what a receiver has begun in a directory, newest first. */
    static List<Description> begun(Path output, String name, InetSocketAddress group) {
        return folders(output).stream().sorted(Comparator.comparing(PartFolder::touched).reversed()).map(PartFolder::read)
                .filter(each -> each != null && name.equals(each.name()) && Description.text(group).equals(each.group())).toList();
    }

    /** Descriptions of what a receiver has of other sessions than one, newest first, whatever their group. */
    static List<Description> others(Path output, String name, long session) {
        return folders(output).stream().sorted(Comparator.comparing(PartFolder::touched).reversed()).map(PartFolder::read)
                .filter(each -> each != null && name.equals(each.name()) && each.session() != session && each.size() > 0 && each.packets() > 0)
                .toList();
    }

    /** The packets of another session, to be read while somebody may still write more of them. */
    static FileChannel reading(Path output, Description description) throws IOException {
        return FileChannel.open(path(output, description).resolve(PACKETS), StandardOpenOption.READ);
    }

    /** Removes the folder of another session, unless somebody works on it. */
    static void remove(Path path) throws IOException {
        try (FileChannel locked = Files.isDirectory(path) ? lock(path) : null) {
            if (locked != null) {
                delete(path);
            }
        }
    }

    /** Removes what nobody came back for. @return the folders that were removed */
    static List<Path> sweep(Path output, Instant now) {
        List<Path> removed = new ArrayList<>();
        for (Path folder : folders(output)) {
            if (touched(folder).isBefore(now.minus(KEPT))) {
                try (FileChannel locked = lock(folder)) {
                    if (locked != null) {
                        delete(folder);
                        removed.add(folder);
                    }
                } catch (IOException e) {
                    // It stays, and is tried again at the next start.
                }
            }
        }
        return removed;
    }

    private static List<Path> folders(Path output) {
        try (Stream<Path> files = Files.list(output)) {
            return files.filter(file -> file.getFileName().toString().matches("\\.tamanoir-[0-9a-f]{16}") && Files.isDirectory(file)).toList();
        } catch (IOException | UncheckedIOException e) {
            throw new AnepException(ErrorCode.STORAGE, "the directory '" + output + "' cannot be read: " + e.getMessage(), e);
        }
    }

    private static Instant touched(Path folder) {
        try {
            Path packets = folder.resolve(PACKETS);
            return Files.getLastModifiedTime(Files.exists(packets) ? packets : folder).toInstant();
        } catch (IOException e) {
            return Instant.now();
        }
    }

    Path path() {
        return path;
    }

    /** Keeps the SHA-256 of the whole, with which a later run can finish without the source. */
    void keep(byte[] digest) throws IOException {
        Files.write(path.resolve(DIGEST), digest);
    }

    /** The SHA-256 that was kept in a folder; null if there is none. */
    static byte[] digest(Path output, Description description) {
        try {
            byte[] digest = Files.readAllBytes(path(output, description).resolve(DIGEST));
            return digest.length == DIGEST_SIZE ? digest : null;
        } catch (IOException e) {
            return null;
        }
    }

    /** Forgets it: the packets are not whole. */
    void forgetDigest() throws IOException {
        Files.deleteIfExists(path.resolve(DIGEST));
    }

    Description description() {
        return description;
    }

    /** Every packet at its place: tag and content. */
    FileChannel packets() {
        return packets;
    }

    /** Removes the folder; packets can still be read until it is closed. */
    void delete() throws IOException {
        delete(path);
    }

    private static void delete(Path path) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(path)) {
            files = all.sorted(Comparator.reverseOrder()).toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        for (Path file : files) {
            Files.deleteIfExists(file);
        }
    }

    boolean isClosed() {
        return !packets.isOpen();
    }

    /** Lets go of the folder; what is in it stays. */
    @Override
    public void close() {
        try {
            packets.close();
        } catch (IOException e) {
            // What was written is in the hands of the kernel; what it does not keep is found by its tag.
        }
    }
}
