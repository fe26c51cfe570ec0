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
import org.osgi.resource.Resource;
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
 * {@code bundles/SHA.jar} as URL. Written by bnd, and again only when something has changed.
 */
final class RepositoryIndex {
    private static final Logger LOG = LoggerFactory.getLogger(RepositoryIndex.class);

    /** The octets of an index and what identifies them. */
    record Xml(byte[] octets, String tag, long revision, Set<String> damaged, Set<String> revoked) {
    }

    private final BundleStore store;
    private final Map<String, Resource> resources = new ConcurrentHashMap<>();
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
        List<Resource> offered = new ArrayList<>();
        Set<String> hashes = new HashSet<>();
        for (Entry entry : catalogue.entries()) {
            boolean isOffered = !entry.retired() && !revoked.contains(entry.sha256()) && !store.isDamaged(entry);
            Resource resource = isOffered ? resource(entry) : null;
            if (resource != null) {
                offered.add(resource);
                hashes.add(entry.sha256());
            }
        }
        resources.keySet().retainAll(hashes);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BundleResource.write(catalogue.revision(), offered, out);
        byte[] octets = out.toByteArray();
        return new Xml(octets, BundleHash.of(octets).substring(0, 32), catalogue.revision(), store.damaged(), revoked);
    }

    /** Null if the bundle turns out to be damaged. */
    private Resource resource(Entry entry) {
        Resource known = resources.get(entry.sha256());
        if (known != null) {
            return known;
        }
        Optional<Manifest> manifest = store.manifest(entry);
        if (manifest.isEmpty()) {
            LOG.warn("{} {} is damaged, and is left out of the index", entry.name(), entry.version());
            return null;
        }
        Resource resource = BundleResource.of(manifest.get(), entry.sha256(), entry.size());
        resources.put(entry.sha256(), resource);
        return resource;
    }
}
