package org.tamanoir.node.deploy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.oci.Location;
import org.tamanoir.oci.Registry;

/**
 * A repository whose bundles are in a registry too: it says which SHA-256 a version has, and the registry is asked for that content. If the registry is of no use for it, whatever the
 * reason, the repository is asked as ever. For any number of threads.
 */
final class RegistrySource implements BundleSource {
    private static final Logger LOG = LoggerFactory.getLogger(RegistrySource.class);
    /** A registry that was away or let nobody in is left alone for so long. */
    private static final Duration REST = Duration.ofSeconds(10);

    private final BundleSource repository;
    private final Location location;
    private final Registry registry;
    private final long bundleMost;
    private volatile Long restsUntil;

    /** @param bundleMost octets of the largest bundle that is accepted */
    RegistrySource(BundleSource repository, Location location, Registry registry, long bundleMost) {
        this.repository = repository;
        this.location = location;
        this.registry = registry;
        this.bundleMost = bundleMost;
    }

    @Override
    public String name() {
        return repository.name();
    }

    @Override
    public List<FoundBundle> find(int typeId) {
        return repository.find(typeId);
    }

    @Override
    public void fetch(FoundBundle bundle, Path file) {
        if (!fromRegistry(bundle, file)) {
            repository.fetch(bundle, file);
        }
    }

    private boolean fromRegistry(FoundBundle bundle, Path file) {
        Long rests = restsUntil;
        if (bundle.size() <= 0 || bundle.size() > bundleMost || rests != null && rests - System.nanoTime() > 0) {
            return false;
        }
        try {
            registry.fetch(location.of(bundle.name()), bundle.sha256(), bundle.size(), file);
            restsUntil = null;
            return true;
        } catch (AnepException e) {
            if (e.code() == ErrorCode.STORAGE) {
                throw e;
            }
            if (e.code() != ErrorCode.REGISTRY_LACKS && e.code() != ErrorCode.REGISTRY_ANSWER) {
                restsUntil = System.nanoTime() + REST.toNanos();
            }
            LOG.warn("{} {} does not come from {}, and {} is asked for it: {}", bundle.name(), bundle.version(), location, repository.name(), e.getMessage());
            return false;
        }
    }
}
