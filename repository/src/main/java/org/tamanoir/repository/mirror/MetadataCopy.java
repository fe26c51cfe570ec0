package org.tamanoir.repository.mirror;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.http.fetch.HttpFetch.Fetched;
import org.tamanoir.repository.tuf.MetadataFiles;
import org.tamanoir.tuf.ServiceTarget;
import org.tamanoir.tuf.format.Bounds;
import org.tamanoir.tuf.format.MetaFile;
import org.tamanoir.tuf.format.Metadata;
import org.tamanoir.tuf.format.RoleName;
import org.tamanoir.tuf.format.Snapshot;
import org.tamanoir.tuf.format.TargetFile;
import org.tamanoir.tuf.format.Targets;

/**
 * Copies the TUF metadata of an upstream as it is: whoever reads it here verifies it. What a timestamp names is copied before the timestamp, so that a
 * mirror always has a whole state. Blocks.
 */
final class MetadataCopy {
    /** Roots that are copied: they stay for ever. */
    private static final int MOST_ROOTS = 1_024;
    /** Octets of the metadata of all roles with targets. */
    private static final long MOST_OCTETS = 32L << 20;
    /** Octets of a target that is no bundle. */
    private static final long LARGEST_FILE = 8 << 20;

    private final HttpFetch http;
    private final MetadataFiles files;
    private final Path incoming;
    private String etag;

    /** @param incoming where targets are written that are not whole yet */
    MetadataCopy(MirrorSettings settings, MetadataFiles files, Path incoming) {
        this.http = HttpFetch.of(settings.upstream(), ErrorCode.REPOSITORY_UNREACHABLE);
        this.files = files;
        this.incoming = incoming;
    }

    /**
     * Copies what has changed since the last call that succeeded.
     *
     * @throws AnepException EE-302 if the upstream does not answer; EE-420, EE-424 if its metadata is none or does not belong together; EE-405
     */
    void copy() throws IOException {
        Fetched timestamp;
        try {
            timestamp = http.ifChanged("/tuf/timestamp.json", etag, Bounds.TIMESTAMP);
        } catch (AnepException e) {
            if (e.code() == ErrorCode.NO_METADATA || e.code() == ErrorCode.NOT_FOUND) {
                return;
            }
            throw e;
        }
        if (timestamp.body().isPresent()) {
            byte[] octets = timestamp.body().get();
            roots();
            MetaFile named = Metadata.timestamp(octets).signed().snapshot();
            Snapshot snapshot = Metadata.snapshot(file(RoleName.SNAPSHOT, named, Bounds.SNAPSHOT)).signed();
            long all = 0;
            for (Map.Entry<String, MetaFile> role : snapshot.roles().entrySet()) {
                byte[] metadata = file(role.getKey(), role.getValue(), Bounds.TARGETS);
                all += metadata.length;
                if (all > MOST_OCTETS) {
                    throw new AnepException(ErrorCode.TOO_LARGE, "the upstream's metadata has more than " + MOST_OCTETS + " octets");
                }
                if (role.getKey().equals(RoleName.TARGETS)) {
                    targets(Metadata.targets(metadata).signed());
                }
            }
            files.publish(octets);
            for (String role : snapshot.roles().keySet()) {
                files.prune(role);
            }
            files.prune(RoleName.SNAPSHOT);
            Set<String> kept = new HashSet<>(snapshot.roles().keySet());
            kept.add(RoleName.SNAPSHOT);
            files.retainRoles(kept);
            etag = timestamp.etag();
        }
    }

    private void roots() throws IOException {
        long next = files.newest(RoleName.ROOT).orElse(0) + 1;
        for (; next <= MOST_ROOTS; next++) {
            try {
                files.write(next + ".root.json", http.bytes("/tuf/" + next + ".root.json", Bounds.ROOT));
            } catch (AnepException e) {
                if (e.code() == ErrorCode.NOT_FOUND) {
                    return;
                }
                throw e;
            }
        }
    }

    /** What is here already with this content is not fetched again. */
    private byte[] file(String role, MetaFile named, int most) throws IOException {
        String name = named.version() + "." + role + ".json";
        byte[] here = files.read(name);
        if (here != null && matches(named, here)) {
            return here;
        }
        byte[] octets = http.bytes("/tuf/" + name, Math.min(most, named.length().orElse((long) most)));
        named.check(octets, name);
        files.write(name, octets);
        return octets;
    }

    private static boolean matches(MetaFile named, byte[] octets) {
        return named.hashes().isPresent() && named.hashes().get().match(octets);
    }

    /** Targets that are no bundles: those come by the index. */
    private void targets(Targets targets) throws IOException {
        Set<String> listed = new HashSet<>();
        for (Map.Entry<String, TargetFile> target : targets.targets().entrySet()) {
            String sha256 = target.getValue().hashes().sha256();
            if (sha256 == null || target.getKey().contains("/") || target.getValue().length() > LARGEST_FILE) {
                continue;
            }
            listed.add(sha256);
            if (files.target(sha256) == null) {
                Path file = Files.createTempFile(incoming, "target", ".part");
                try {
                    String path = "/tuf/targets/" + HttpFetch.segment(ServiceTarget.file(target.getKey(), sha256));
                    if (!http.toFile(path, file, target.getValue().length()).sha256().equals(sha256)) {
                        throw new AnepException(ErrorCode.METADATA_MISMATCH, "the upstream sends something else for " + path);
                    }
                    files.putTarget(file, sha256);
                } finally {
                    Files.deleteIfExists(file);
                }
            }
        }
        files.retainTargets(listed);
    }
}
