package org.tamanoir.repository.mirror;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.repository.bundle.BundleHash;
import org.tamanoir.repository.bundle.BundleReader;
import org.tamanoir.repository.bundle.ServiceBundle;
import org.tamanoir.repository.mirror.Index.Offer;
import org.tamanoir.repository.store.BundleStore;

/** What lies between a transfer and the store: at most one bundle that is not whole yet, and the checks of one that is. */
final class Intake {
    private static final Logger LOG = LoggerFactory.getLogger(Intake.class);

    private final BundleStore store;
    private final Path directory;

    Intake(BundleStore store) {
        this.store = store;
        this.directory = store.incoming().resolveSibling("mirror");
    }

    void prepare() throws IOException {
        Files.createDirectories(directory);
    }

    /** The file that a bundle comes into, with what has come of it before. Any other is given up. */
    Path begin(Offer offer) throws IOException {
        Path part = part(offer);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.part")) {
            for (Path file : files) {
                if (!file.equals(part)) {
                    Files.delete(file);
                }
            }
        }
        return part;
    }

    private Path part(Offer offer) {
        return directory.resolve(offer.sha256() + ".part");
    }

    /** Octets that have come. */
    long size(Offer offer) {
        try {
            return Files.exists(part(offer)) ? Files.size(part(offer)) : 0;
        } catch (IOException e) {
            LOG.debug("the size of {} cannot be read", part(offer), e);
            return 0;
        }
    }

    void giveUp(Offer offer) {
        try {
            Files.deleteIfExists(part(offer));
        } catch (IOException e) {
            LOG.warn("{} cannot be removed", part(offer), e);
        }
    }

    /**
     * Checks that what has come is what the index said, and hands it to the store as an upload is.
     *
     * @throws AnepException EE-303 if it is something else, or whatever refuses an upload
     */
    void publish(Offer offer) throws IOException {
        Path part = part(offer);
        String sha256 = BundleHash.of(part);
        if (!sha256.equals(offer.sha256())) {
            throw new AnepException(ErrorCode.BUNDLE_HASH_MISMATCH, "the upstream sent other content, with SHA-256 " + sha256);
        }
        ServiceBundle bundle = BundleReader.read(part);
        if (!bundle.name().equals(offer.name()) || !bundle.version().equals(offer.version()) || bundle.typeId() != offer.typeId()) {
            throw new AnepException(ErrorCode.BUNDLE_HASH_MISMATCH, "the upstream's index calls it " + offer + ", and it is " + bundle.name()
                    + " " + bundle.version());
        }
        Path upload = store.incoming().resolve(part.getFileName());
        try {
            Files.move(part, upload);
            store.publish(upload);
        } finally {
            Files.deleteIfExists(upload);
        }
    }

    /** Hands a copy of what the store has to the store: so it is checked as if it had just come. */
    void publishAgain(Offer offer) throws IOException {
        Path copy = store.incoming().resolve(offer.sha256() + ".part");
        try {
            Files.copy(store.bundle(offer.sha256()), copy, StandardCopyOption.REPLACE_EXISTING);
            store.publish(copy);
        } finally {
            Files.deleteIfExists(copy);
        }
    }
}
