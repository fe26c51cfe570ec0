package org.tamanoir.repository.store;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.disk.Durable;
import org.tamanoir.settings.PrivateDirectory;

/** The directory of a repository: taken by one process, cleaned of what a crash left, with the catalogue in it. */
public final class DataDirectory implements CatalogueKeeper {
    private static final ObjectMapper MAPPER = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES);
    private static final int FORMAT = 1;
    /** The file of the catalogue, in a directory that has a repository. */
    public static final String CATALOGUE = "catalogue.json";
    /** A file in a directory whose repository is elsewhere. */
    public static final String ELSEWHERE = "in-database";
    /** A file in a directory whose bundles are elsewhere. */
    public static final String BUNDLES_ELSEWHERE = "bundles-in-registry";

    /** What stands in the file. */
    private record Document(int format, long revision, List<Entry> entries) {
    }

    private final Path root;
    private final FileChannel lock;
    private volatile Catalogue catalogue;

    private DataDirectory(Path root, FileChannel lock) {
        this.root = root;
        this.lock = lock;
    }

    /**
     * Takes a directory, new or old.
     *
     * @throws AnepException EE-503 if another process has it, or it cannot be used: if its catalogue is unreadable, or gone while there are bundles. Nothing is removed then
     */
    public static DataDirectory open(Path root) {
        FileChannel channel = null;
        try {
            boolean isNew = !Files.isDirectory(root);
            PrivateDirectory.make(root);
            if (Files.exists(root.resolve(ELSEWHERE))) {
                throw unusable(root, "its repository is in a database (" + ELSEWHERE + "): start it with --database, or with another directory", null);
            }
            if (isNew) {
                Durable.forceNames(root.toAbsolutePath().getParent());
            }
            channel = FileChannel.open(root.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (!lock(channel)) {
                channel.close();
                throw unusable(root, "another process is using it", null);
            }
            DataDirectory directory = new DataDirectory(root, channel);
            directory.prepare();
            directory.catalogue = directory.readCatalogue();
            return directory;
        } catch (IOException e) {
            closeQuietly(channel, e);
            throw unusable(root, AnepException.reason(e), e);
        } catch (AnepException e) {
            closeQuietly(channel, e);
            throw e;
        }
    }

    /**
     * Takes one that there is.
     *
     * @throws AnepException EE-503 as {@link #open}, or if there is no repository in it
     */
    public static DataDirectory openOld(Path root) {
        if (!Files.exists(root.resolve(CATALOGUE))) {
            throw unusable(root, "there is no repository in it (" + CATALOGUE + ")", null);
        }
        return open(root);
    }

    /** The kernel gives the lock back when the process ends, however it ends. */
    private static boolean lock(FileChannel channel) throws IOException {
        try {
            FileLock taken = channel.tryLock();
            return taken != null;
        } catch (OverlappingFileLockException e) {
            // Taken by this very process.
            return false;
        }
    }

    private static void closeQuietly(FileChannel channel, Exception reason) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            reason.addSuppressed(e);
        }
    }

    private void prepare() throws IOException {
        for (Path directory : List.of(bundles(), incoming(), damaged())) {
            Files.createDirectories(directory);
        }
        try (DirectoryStream<Path> left = Files.newDirectoryStream(incoming())) {
            for (Path file : left) {
                Files.delete(file);
            }
        }
        Files.deleteIfExists(Durable.part(root.resolve(CATALOGUE)));
        Durable.forceNames(root);
    }

    Path bundles() {
        return root.resolve("bundles");
    }

    /** Where uploads are written: emptied by the start. */
    public Path incoming() {
        return root.resolve("incoming");
    }

    Path damaged() {
        return root.resolve("damaged");
    }

    Path bundle(String sha256) {
        return bundles().resolve(sha256 + ".jar");
    }

    /** What the disk has; writes an empty one into a directory that is new. */
    Catalogue readCatalogue() {
        Path file = root.resolve(CATALOGUE);
        try {
            if (!Files.exists(file)) {
                if (bundles().toFile().list().length > 0) {
                    throw unusable(root, "catalogue.json is missing although there are bundles; restore it, or move bundles/ away", null);
                }
                writeCatalogue(Catalogue.EMPTY);
            }
            Document document = MAPPER.readValue(file.toFile(), Document.class);
            if (document.format != FORMAT) {
                throw unusable(root, "catalogue.json has format " + document.format + ", and this program reads " + FORMAT, null);
            }
            return new Catalogue(document.revision, document.entries);
        } catch (IOException | IllegalArgumentException | NullPointerException e) {
            throw unusable(root, "catalogue.json cannot be read: " + e.getMessage(), e);
        }
    }

    private void writeCatalogue(Catalogue next) throws IOException {
        Durable.replace(root.resolve(CATALOGUE), MAPPER.writeValueAsBytes(new Document(FORMAT, next.revision(), next.entries())));
    }

    @Override
    public Catalogue catalogue() {
        return catalogue;
    }

    @Override
    public synchronized Changed change(Rule rule) throws IOException {
        Catalogue before = catalogue;
        Catalogue after = rule.apply(before, Instant.now());
        if (after != before) {
            writeCatalogue(after);
            catalogue = after;
        }
        return new Changed(before, after);
    }

    private static AnepException unusable(Path root, String why, Exception cause) {
        return new AnepException(ErrorCode.DATA_DIRECTORY, "the data directory " + root + " cannot be used: " + why, cause);
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }
}
