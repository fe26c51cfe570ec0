package org.tamanoir.node.deploy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.disk.Durable;
import org.tamanoir.node.deploy.BundleSource.FoundBundle;
import org.tamanoir.node.waits.WaitTimes;

/**
 * The bundles that a node has had before: {@code SHA256.jar} and beside it {@code SHA256.json} that says what it is. Both are written to
 * a temporary name, forced to the disk and renamed, the description last; so after a crash a bundle is there whole or not at all.
 */
final class BundleStore implements BundleSource {
    /** What operators see as the source of a bundle from here. */
    static final String NAME = "store";
    private static final Logger LOG = LoggerFactory.getLogger(BundleStore.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String TEMPORARY = ".part";
    /** Versions of one service that are kept though nothing uses them. */
    private static final int MOST_UNUSED = 4;

    private final Path directory;
    private final Map<String, FoundBundle> bundles = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();
    private final WaitTimes syncs = WaitTimes.of("tamanoir_store_sync_seconds", "How long the disk has taken to keep a bundle: its octets, its description and their names.",
            0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10);

    /** Opens the store and forgets what an earlier crash left half written. */
    BundleStore(Path directory) {
        this.directory = directory;
        try {
            Files.createDirectories(directory);
            try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
                for (Path file : files) {
                    open(file);
                }
            }
            try (DirectoryStream<Path> jars = Files.newDirectoryStream(directory, "*.jar")) {
                for (Path jar : jars) {
                    forgetWithoutDescription(jar);
                }
            }
        } catch (IOException e) {
            throw storage("cannot open the store " + directory, e);
        }
    }

    /** Makes a directory, or removes what an earlier crash left in it. */
    static void empty(Path directory) {
        try {
            Files.createDirectories(directory);
            try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
                for (Path file : files) {
                    Files.delete(file);
                }
            }
        } catch (IOException e) {
            throw storage("cannot empty " + directory, e);
        }
    }

    private void open(Path file) throws IOException {
        String name = file.getFileName().toString();
        if (name.endsWith(TEMPORARY)) {
            Files.delete(file);
        } else if (name.endsWith(".json")) {
            try {
                FoundBundle bundle = JSON.readValue(file.toFile(), FoundBundle.class);
                // Whoever looks for the newest must be able to compare it.
                bundle.number();
                if (Files.exists(jar(bundle.sha256()))) {
                    bundles.put(bundle.sha256(), bundle);
                } else {
                    Files.delete(file);
                }
            } catch (IOException | IllegalArgumentException e) {
                LOG.warn("{} is not readable and is left out: {}", file, e.getMessage());
            }
        }
    }

    /** A crash between the two renames of {@link #add} leaves a bundle that nobody would find or remove. */
    private void forgetWithoutDescription(Path jar) throws IOException {
        String name = jar.getFileName().toString();
        if (!Files.exists(directory.resolve(name.substring(0, name.length() - ".jar".length()) + ".json"))) {
            Files.delete(jar);
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<FoundBundle> find(int typeId) {
        return bundles.values().stream().filter(bundle -> bundle.typeId() == typeId).sorted(FoundBundle.NEWEST_FIRST).toList();
    }

    /** It is there already. */
    @Override
    public void fetch(FoundBundle bundle, Path file) {
        throw new IllegalStateException("the store's own bundles are used where they are");
    }

    /** Everything that is kept. */
    Collection<FoundBundle> all() {
        return List.copyOf(bundles.values());
    }

    /** Removes versions of a service beyond the newest few that are not needed; disk space has a bound too. */
    void evict(int typeId, Predicate<FoundBundle> needed) {
        find(typeId).stream().filter(bundle -> !needed.test(bundle)).skip(MOST_UNUSED).forEach(this::remove);
    }

    /** Where a bundle of a hash is or would be. */
    Path jar(String sha256) {
        return directory.resolve(sha256 + ".jar");
    }

    /** A new name for a file that is on its way here; on the same disk as the store. */
    Path temporary() {
        return directory.resolve("incoming-" + numbers.incrementAndGet() + ".jar" + TEMPORARY);
    }

    /** Whether the file of a bundle is as it was when it came. */
    boolean isIntact(FoundBundle bundle) {
        Path jar = jar(bundle.sha256());
        return Files.exists(jar) && hashOf(jar).equals(bundle.sha256());
    }

    /** @throws AnepException EE-409 if the file cannot be read */
    static String hashOf(Path file) {
        try {
            return Sha256.of(file);
        } catch (IOException e) {
            throw storage("cannot read " + file.getFileName(), e);
        }
    }

    /** Takes a verified file in: after this returns it survives a crash. */
    void add(FoundBundle bundle, Path file) {
        long began = System.nanoTime();
        try {
            Durable.force(file);
            Files.move(file, jar(bundle.sha256()), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            Durable.replace(directory.resolve(bundle.sha256() + ".json"), JSON.writeValueAsBytes(bundle));
            syncs.took(System.nanoTime() - began);
            bundles.put(bundle.sha256(), bundle);
        } catch (IOException e) {
            throw storage("cannot keep " + bundle.name() + " " + bundle.version(), e);
        }
    }

    /** How long the disk has taken for each of {@link #add}. */
    WaitTimes syncs() {
        return syncs;
    }

    /** Forgets a bundle whose file is not what it should be. */
    void remove(FoundBundle bundle) {
        bundles.remove(bundle.sha256());
        try {
            Files.deleteIfExists(directory.resolve(bundle.sha256() + ".json"));
            Files.deleteIfExists(jar(bundle.sha256()));
        } catch (IOException e) {
            throw storage("cannot remove " + bundle.name() + " " + bundle.version(), e);
        }
    }

    private static AnepException storage(String what, IOException cause) {
        return new AnepException(ErrorCode.STORAGE, what + ": " + cause.getMessage(), cause);
    }

    /** The hash by which bundles are known. */
    static final class Sha256 {
        private Sha256() {
        }

        /** 64 lower-case hexadecimal digits. */
        static String of(Path file) throws IOException {
            try (InputStream in = Files.newInputStream(file)) {
                MessageDigest digest = MessageDigest.getInstance("SHA-256");
                byte[] block = new byte[64 * 1024];
                for (int n = in.read(block); n >= 0; n = in.read(block)) {
                    digest.update(block, 0, n);
                }
                return HexFormat.of().formatHex(digest.digest());
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every JDK has SHA-256", e);
            }
        }
    }
}
