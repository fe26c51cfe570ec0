package org.tamanoir.wasm.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.disk.Durable;
import run.endive.wasm.Version;

/**
 * Compiled modules on the disk, by the hash of the module, the versions of what made them, and that of Java. Only a cache: what is damaged is
 * made again, what other versions have made goes, and so does what was used least recently when there is too much. Any thread.
 */
final class ImageStore {
    private static final Logger LOG = LoggerFactory.getLogger(ImageStore.class);
    /** To be raised when the classes are made or woven in another way. */
    private static final int WEAVING = 3;
    private static final String SUFFIX = "-" + Version.version() + "-" + WEAVING + "-java" + Runtime.version().feature() + ".image";

    private final Path directory;
    private final long most;

    /** @param most octets that all images may take */
    ImageStore(Path directory, long most) throws IOException {
        this.directory = directory;
        this.most = most;
        Files.createDirectories(directory);
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.filter(each -> !each.getFileName().toString().endsWith(SUFFIX)).toList()) {
                Files.deleteIfExists(file);
            }
        }
        tidy(null);
    }

    private Path file(String sha256) {
        return directory.resolve(sha256 + SUFFIX);
    }

    /** A new file in the same directory, for what is to be kept; whoever makes it deletes it. */
    Path temporary(String suffix) throws IOException {
        return Files.createTempFile(directory, "new-", suffix);
    }

    /** @return null if there is none that is whole */
    Map<String, byte[]> read(String sha256) {
        Path file = file(sha256);
        try {
            if (!Files.exists(file)) {
                return null;
            }
            Map<String, byte[]> entries = ImageFile.read(Files.readAllBytes(file));
            if (entries == null) {
                LOG.warn("the compiled module {} is damaged and is made again", file);
                Files.deleteIfExists(file);
                return null;
            }
            Files.setLastModifiedTime(file, FileTime.from(Instant.now()));
            return entries;
        } catch (IOException e) {
            LOG.warn("the compiled module {} cannot be read and is made again: {}", file, e.toString());
            return null;
        }
    }

    /** Keeps what is in a file of {@link #temporary}, which is gone then. */
    void keep(String sha256, Path made) throws IOException {
        Durable.force(made);
        Durable.rename(made, file(sha256));
        tidy(file(sha256));
    }

    private synchronized void tidy(Path spared) throws IOException {
        List<Path> images = new ArrayList<>();
        long all = 0;
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.filter(each -> each.getFileName().toString().endsWith(SUFFIX)).toList()) {
                images.add(file);
                all += Files.size(file);
            }
        }
        images.sort(Comparator.comparingLong(file -> file.toFile().lastModified()));
        for (Path oldest : images) {
            if (all <= most) {
                return;
            }
            if (!oldest.equals(spared)) {
                all -= Files.size(oldest);
                Files.deleteIfExists(oldest);
            }
        }
    }
}
