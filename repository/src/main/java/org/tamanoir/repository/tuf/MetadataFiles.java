package org.tamanoir.repository.tuf;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.disk.Durable;
import org.tamanoir.tuf.format.Hashes;
import org.tamanoir.tuf.format.RoleName;

/**
 * The files that a repository serves. Whether something is published is said by {@code timestamp.json} alone, which names a snapshot, which names the
 * rest: so that file is written last. For any number of readers and one writer.
 */
public final class MetadataFiles {
    static final String TIMESTAMP = RoleName.TIMESTAMP + ".json";
    /** Old versions that stay for clients in the middle of an update. */
    private static final int KEPT = 16;
    private static final Pattern NAME = Pattern.compile("(\\d{1,16})\\.([A-Za-z0-9_][A-Za-z0-9._-]{0,127})\\.json");
    private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");

    private final Path metadata;
    private final Path targets;
    private volatile Served timestamp;

    /** Octets, and what identifies them. */
    record Served(byte[] octets, String tag) {
        static Served of(byte[] octets) {
            return new Served(octets, Hashes.sha256(octets).substring(0, 32));
        }
    }

    /** @param tuf the directory, which need not be there */
    MetadataFiles(Path tuf) {
        this.metadata = tuf.resolve("metadata");
        this.targets = tuf.resolve("targets");
    }

    /**
     * The files of a mirror.
     *
     * @param data of the repository
     * @throws AnepException EE-503 if they cannot be read
     */
    public static MetadataFiles open(Path data) {
        MetadataFiles files = new MetadataFiles(data.resolve(TufRepository.DIRECTORY));
        try {
            files.open();
            return files;
        } catch (IOException e) {
            throw new AnepException(ErrorCode.DATA_DIRECTORY, "the metadata in " + data + " cannot be read: " + AnepException.reason(e), e);
        }
    }

    /** Removes what a crash left, and reads what is published. */
    void open() throws IOException {
        if (!Files.isDirectory(metadata)) {
            return;
        }
        try (DirectoryStream<Path> left = Files.newDirectoryStream(metadata, "*.part")) {
            for (Path file : left) {
                Files.delete(file);
            }
        }
        Path file = metadata.resolve(TIMESTAMP);
        timestamp = Files.exists(file) ? Served.of(Files.readAllBytes(file)) : null;
    }

    /** Makes a directory whose parent's parent is there: its name survives a crash, as what is put in it does. */
    static void make(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            Path parent = directory.toAbsolutePath().getParent();
            Files.createDirectories(directory);
            Durable.forceNames(parent);
            Durable.forceNames(parent.getParent());
        }
    }

    /** What is published now; null for nothing. */
    Served timestamp() {
        return timestamp;
    }

    /** Octets of a file of metadata with a version in its name; null if there is none. */
    public byte[] read(String name) throws IOException {
        Path file = file(name);
        return file == null ? null : Files.readAllBytes(file);
    }

    /** A file of metadata with a version in its name; null if there is none. */
    Path file(String name) {
        Path file = metadata.resolve(name);
        return NAME.matcher(name).matches() && Files.isRegularFile(file) ? file : null;
    }

    /** Writes a file that has a version in its name: when this returns it survives a crash. */
    public void write(String name, byte[] octets) throws IOException {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(name);
        }
        make(metadata);
        Durable.replace(metadata.resolve(name), octets);
    }

    /** Publishes what a timestamp names. */
    public void publish(byte[] octets) throws IOException {
        Durable.replace(metadata.resolve(TIMESTAMP), octets);
        timestamp = Served.of(octets);
    }

    /** The highest version of a role of which there is a file, whether it is published or not. */
    public OptionalLong newest(String role) throws IOException {
        return versions(role).max();
    }

    private LongStream versions(String role) throws IOException {
        if (!Files.isDirectory(metadata)) {
            return LongStream.empty();
        }
        try (Stream<Path> files = Files.list(metadata)) {
            return files.map(file -> NAME.matcher(file.getFileName().toString())).filter(Matcher::matches).filter(name -> name.group(2).equals(role))
                    .mapToLong(name -> Long.parseLong(name.group(1))).sorted().boxed().toList().stream().mapToLong(Long::longValue);
        }
    }

    /** Removes old versions of a role, but for the newest ones; roots stay for ever. */
    public void prune(String role) throws IOException {
        if (role.equals(RoleName.ROOT)) {
            return;
        }
        long[] all = versions(role).toArray();
        for (int i = 0; i < all.length - KEPT; i++) {
            Files.deleteIfExists(metadata.resolve(all[i] + "." + role + ".json"));
        }
    }

    /** Removes the metadata of all roles but some, and the root. */
    public void retainRoles(Set<String> roles) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(metadata)) {
            for (Path file : files) {
                Matcher name = NAME.matcher(file.getFileName().toString());
                if (name.matches() && !name.group(2).equals(RoleName.ROOT) && !roles.contains(name.group(2))) {
                    Files.delete(file);
                }
            }
        }
    }

    /** A target that is no bundle; null if it is not here. */
    public Path target(String sha256) {
        Path file = targets.resolve(sha256);
        return SHA256.matcher(sha256).matches() && Files.isRegularFile(file) ? file : null;
    }

    /** Gives a file its place among the targets: when this returns it survives a crash. */
    public void putTarget(Path file, String sha256) throws IOException {
        make(targets);
        Durable.force(file);
        Durable.rename(file, targets.resolve(sha256));
    }

    /** Removes targets that nobody lists any more. @param listed by their SHA-256 */
    public void retainTargets(Set<String> listed) throws IOException {
        if (!Files.isDirectory(targets)) {
            return;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(targets)) {
            for (Path file : files) {
                if (!listed.contains(file.getFileName().toString())) {
                    Files.delete(file);
                }
            }
        }
    }

    AnepException damaged(String what) {
        return new AnepException(ErrorCode.METADATA_DAMAGED, "the metadata in " + metadata + " is damaged: " + what + "; restore it from a mirror or a backup");
    }
}
