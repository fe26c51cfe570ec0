package org.tamanoir.repository;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.jar.Manifest;
import java.util.zip.GZIPOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.repository.bundle.BundleHash;
import org.tamanoir.repository.bundle.BundleResource;
import org.tamanoir.repository.store.BundleStore;
import org.tamanoir.repository.store.Catalogue;
import org.tamanoir.repository.store.Entry;

/**
 * {@code index.xml}: every version that is published, not retired, not revoked and not damaged, with its SHA-256 as {@code osgi.content} and
 * {@code bundles/SHA.jar} as URL. Each version is written by bnd, once; all of them together again when something has changed.
 */
final class RepositoryIndex {
    private static final Logger LOG = LoggerFactory.getLogger(RepositoryIndex.class);

    /** The octets of an index, the same by gzip, and what identifies them. */
    record Xml(byte[] octets, byte[] packed, String tag, long revision, Set<String> damaged, Set<String> revoked) {
    }

    private final BundleStore store;
    private final Map<String, byte[]> elements = new ConcurrentHashMap<>();
    private Xml last;

    RepositoryIndex(BundleStore store) {
        this.store = store;
    }

    synchronized Xml xml() throws IOException {
        Catalogue catalogue = store.catalogue();
        Set<String> revoked = store.revoked();
        if (last == null || last.revision() != catalogue.revision() || !last.damaged().equals(store.damaged())
                || !last.revoked().equals(revoked)) {
            try {
                last = write(catalogue, revoked);
            } catch (AnepException e) {
                // What keeps the bundles is away: nobody is told of less than there was.
                if (last == null) {
                    throw e;
                }
                LOG.warn("the index stays as it was: {}", e.getMessage());
            }
        }
        return last;
    }

    private Xml write(Catalogue catalogue, Set<String> revoked) throws IOException {
        List<byte[]> offered = new ArrayList<>();
        Set<String> hashes = new HashSet<>();
        for (Entry entry : catalogue.entries()) {
            boolean isOffered = !entry.retired() && !revoked.contains(entry.sha256()) && !store.isDamaged(entry);
            byte[] element = isOffered ? element(entry) : null;
            if (element != null) {
                offered.add(element);
                hashes.add(entry.sha256());
            }
        }
        elements.keySet().retainAll(hashes);
        byte[] octets = BundleResource.index(catalogue.revision(), offered);
        return new Xml(octets, packed(octets), BundleHash.of(octets).substring(0, 32), catalogue.revision(), store.damaged(), revoked);
    }

    private static byte[] packed(byte[] octets) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(octets);
        }
        return out.toByteArray();
    }

    /** Null if the bundle turns out to be damaged. */
    private byte[] element(Entry entry) throws IOException {
        byte[] known = elements.get(entry.sha256());
        if (known != null) {
            return known;
        }
        Optional<Manifest> manifest = store.manifest(entry);
        if (manifest.isEmpty()) {
            LOG.warn("{} {} is damaged, and is left out of the index", entry.name(), entry.version());
            return null;
        }
        byte[] element = BundleResource.element(BundleResource.of(manifest.get(), entry.sha256(), entry.size()));
        elements.put(entry.sha256(), element);
        return element;
    }
}
