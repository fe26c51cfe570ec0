package org.tamanoir.node.deploy;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.deploy.BundleSource.FoundBundle;
import org.tamanoir.node.deploy.tuf.MetadataFollower;
import org.tamanoir.node.deploy.tuf.Services;
import org.tamanoir.tuf.ServiceTarget;
import org.tamanoir.tuf.format.Hashes;

/**
 * The repositories that publish by TUF: what of them is current, and whether a bundle from anywhere is what they list. Repositories with the same
 * first root are one, and its mirrors. For any thread.
 */
public final class RepositoryMetadata implements AutoCloseable {
    private final List<MetadataFollower> followers = new ArrayList<>();
    /** By the URL that stands first. */
    private final Map<String, BundleSource> sources = new HashMap<>();
    private final InstantSource clock;
    private final long bundleMost;

    /**
     * @param directory of the node
     * @param offered   told of what they offer whenever that has changed
     * @throws AnepException EE-501 if a root cannot be read, EE-420 or EE-421 if it is none
     */
    RepositoryMetadata(DeployerSettings settings, Path directory, InstantSource clock, Consumer<List<FoundBundle>> offered) {
        this.clock = clock;
        this.bundleMost = settings.bundleMost();
        SSLContext tls = settings.tls() == null ? null : settings.tls().toServers();
        Map<Path, byte[]> roots = new LinkedHashMap<>();
        Map<Path, List<String>> urls = new LinkedHashMap<>();
        for (RepositoryAddress each : settings.repositories()) {
            if (each.tuf() != null) {
                byte[] root = read(each.tuf());
                Path state = stateDirectory(directory, root);
                roots.put(state, root);
                urls.computeIfAbsent(state, at -> new ArrayList<>()).add(each.url());
            }
        }
        roots.forEach((state, root) -> {
            String first = urls.get(state).get(0);
            MetadataFollower follower = new MetadataFollower(urls.get(state), root, state, settings.requestTimeout(), tls, clock,
                    services -> offered.accept(services.stream().map(service -> found(first, service)).toList()));
            followers.add(follower);
            sources.put(first, new Source(follower));
        });
        followers.forEach(MetadataFollower::start);
    }

    private static byte[] read(Path root) {
        try {
            return Files.readAllBytes(root);
        } catch (IOException e) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "repositories: the root " + root + " cannot be read: " + AnepException.reason(e), e);
        }
    }

    /** Where what is believed of a repository is kept: by its first root. @param data of the node */
    private static Path stateDirectory(Path data, byte[] root) {
        return data.resolve("tuf").resolve(Hashes.sha256(root).substring(0, 16));
    }

    /**
     * Lists of what is no longer trusted that come with metadata; none need be there.
     *
     * @param data of the node
     * @throws AnepException EE-501 if a root cannot be read
     */
    public static List<Path> revocations(List<RepositoryAddress> repositories, Path data) {
        return repositories.stream().filter(each -> each.tuf() != null).map(each -> stateDirectory(data, read(each.tuf())).resolve(MetadataFollower.REVOKED)).distinct().toList();
    }

    /** What a repository offers; null for a mirror of one that stands before it. */
    BundleSource source(String url) {
        return sources.get(url);
    }

    /** Those that are followed. */
    public List<MetadataFollower> followers() {
        return followers;
    }

    private static FoundBundle found(String url, ServiceTarget service) {
        return new FoundBundle(service.typeId(), service.name(), service.version(), service.level(), service.sha256(), service.size(),
                URI.create(url.endsWith("/") ? url : url + "/").resolve("tuf/targets/" + service.file()));
    }

    /**
     * Checks that a bundle which somebody else has is what current metadata lists. What an index of another repository has may have any name that
     * no metadata gives away.
     *
     * @param fromNode whether a node has it
     * @throws AnepException EE-425 if it is no target; EE-423 or another if that is not known now
     */
    void check(FoundBundle bundle, boolean fromNode) {
        if (followers.isEmpty()) {
            return;
        }
        AnepException unknown = null;
        boolean owned = false;
        for (MetadataFollower follower : followers) {
            owned |= follower.known().have(bundle.name(), bundle.typeId());
            try {
                if (isTarget(follower.current(), bundle)) {
                    return;
                }
            } catch (AnepException e) {
                unknown = e;
            }
        }
        if (unknown != null && (fromNode || owned)) {
            throw unknown;
        }
        if (fromNode || owned) {
            throw new AnepException(ErrorCode.NOT_A_TARGET, bundle.name() + " " + bundle.version() + " (" + Anep.typeName(bundle.typeId()) + ") with the content " + bundle.sha256()
                    + " is no target that " + followers.get(0).name() + " lists");
        }
    }

    /** Whether what the store has may be started by itself: it is a target, or nobody can say now that it is not. */
    boolean mayStart(FoundBundle kept) {
        for (MetadataFollower follower : followers) {
            try {
                Services current = follower.current();
                if (current.have(kept.name(), kept.typeId()) && !isTarget(current, kept)) {
                    return false;
                }
            } catch (AnepException e) {
                // What was taken once is better than nothing.
                continue;
            }
        }
        return true;
    }

    private boolean isTarget(Services services, FoundBundle bundle) {
        return services.isTarget(bundle.name(), bundle.version(), bundle.typeId(), bundle.sha256(), clock.instant());
    }

    @Override
    public void close() {
        followers.forEach(MetadataFollower::close);
    }

    /** What the metadata of one repository lists. */
    private final class Source implements BundleSource {
        private final MetadataFollower follower;

        Source(MetadataFollower follower) {
            this.follower = follower;
        }

        @Override
        public String name() {
            return follower.name();
        }

        @Override
        public List<FoundBundle> find(int typeId) {
            follower.awaitFirst();
            return follower.current().versions(typeId, clock.instant()).stream().filter(service -> service.size() <= bundleMost)
                    .map(service -> found(follower.name(), service)).sorted(FoundBundle.NEWEST_FIRST).toList();
        }

        @Override
        public void fetch(FoundBundle bundle, Path file) {
            follower.current();
            follower.fetch(new ServiceTarget(bundle.name(), bundle.version(), bundle.typeId(), bundle.level(), bundle.sha256(), bundle.size()), file);
        }
    }
}
