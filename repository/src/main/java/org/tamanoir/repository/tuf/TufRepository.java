package org.tamanoir.repository.tuf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.repository.bundle.BundleHash;
import org.tamanoir.repository.store.BundleStore;
import org.tamanoir.tuf.client.TrustedSet;
import org.tamanoir.tuf.format.Key;
import org.tamanoir.tuf.format.Metadata;
import org.tamanoir.tuf.format.RoleKeys;
import org.tamanoir.tuf.format.RoleName;
import org.tamanoir.tuf.format.Root;
import org.tamanoir.tuf.format.Snapshot;
import org.tamanoir.tuf.format.Targets;
import org.tamanoir.tuf.format.Timestamp;
import org.tamanoir.tuf.sign.Draft;
import org.tamanoir.tuf.sign.OnlineDrafts;

/**
 * The metadata of a repository. Root, targets and the roles of publishers come signed; snapshot and timestamp are signed here. Every publication is
 * one step: it is written down ({@link Intent}), and a process that was killed does the rest when it starts, or has done nothing.
 * For any thread.
 */
public final class TufRepository {
    static final String DIRECTORY = "tuf";
    static final String WHY_NO_DATABASE = "keys and metadata would be in its directory, which is a cache that may be lost; one without --database publishes so";
    private static final Logger LOG = LoggerFactory.getLogger(TufRepository.class);
    /** Snapshots are signed again less often: a new one has to be fetched by everybody. */
    private static final int SNAPSHOT_LIVES = 7;
    /** Of a timestamp's life, so much may have passed. */
    private static final int RENEWED_AFTER = 8;
    /** Octets of a target that is no bundle: as long as a list of what is revoked may be. */
    private static final long LARGEST_FILE = 8 << 20;

    private final MetadataFiles files;
    private final OnlineKeys keys;
    private final Path intent;
    private final BundleStore store;
    private final InstantSource clock;
    private final Duration life;
    private volatile Published published = Published.NOTHING;
    private volatile String problem;

    private TufRepository(Path directory, BundleStore store, InstantSource clock, Duration life) {
        this.files = new MetadataFiles(directory);
        this.keys = new OnlineKeys(directory.resolve("keys"));
        this.intent = directory.resolve("intent.json");
        this.store = store;
        this.clock = clock;
        this.life = life;
    }

    /**
     * Opens what a repository has published, finishes what a crash has left half done, and signs again what is due.
     *
     * @param data of the repository
     * @param life of a timestamp
     * @throws AnepException EE-426 if the metadata is damaged, EE-503 if it cannot be read
     */
    public static TufRepository open(Path data, BundleStore store, InstantSource clock, Duration life) {
        TufRepository repository = new TufRepository(data.resolve(DIRECTORY), store, clock, life);
        try {
            repository.files.open();
            repository.keys.open();
            repository.recover();
            repository.renew();
            return repository;
        } catch (IOException e) {
            throw new AnepException(ErrorCode.DATA_DIRECTORY, "the metadata in " + data.resolve(DIRECTORY) + " cannot be read: " + AnepException.reason(e), e);
        }
    }

    /**
     * Checks that a directory which is about to be a cache of a database has no metadata that would be left behind.
     *
     * @param data of the repository
     * @throws AnepException EE-501
     */
    public static void checkNone(Path data) {
        if (Files.exists(data.resolve(DIRECTORY))) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, data + " publishes by TUF, and a repository in a database cannot: " + WHY_NO_DATABASE);
        }
    }

    private void recover() throws IOException {
        Intent left = Intent.read(intent).orElse(null);
        try {
            published = Published.read(files);
        } catch (AnepException e) {
            // Of the very first publication there is everything but the timestamp.
            if (left == null || files.timestamp() != null) {
                throw e;
            }
            published = Published.NOTHING.with(Metadata.root(files.read(files.newest(RoleName.ROOT).orElseThrow(() -> e) + ".root.json")));
        }
        finish();
    }

    /** Does the rest of what is written down, or nothing of it. */
    private void finish() throws IOException {
        Intent left = Intent.read(intent).orElse(null);
        if (left == null) {
            return;
        }
        Metadata<Targets> next = Metadata.targets(left.metadata());
        Metadata<Targets> before = published.roles().get(left.role());
        boolean begun = left.bundle() == null || store.catalogue().content(left.bundle()).isPresent();
        boolean done = before != null && before.signed().version() >= next.signed().version();
        if (begun && !done) {
            publish(left.role(), next);
        }
        if (begun) {
            retire(left.retired());
        }
        Intent.remove(intent);
    }

    /** What it serves. */
    public MetadataFiles files() {
        return files;
    }

    /** Whether somebody has given the repository a root: from then on targets are what signed metadata says. */
    public boolean isActive() {
        return published.root() != null;
    }

    /** For status pages: {@code expires} by the role, the version of the {@code root}, {@code problem} if there is one. */
    public Map<String, Object> describe() {
        Published now = published;
        Map<String, Object> described = new LinkedHashMap<>();
        described.put("root", now.root().signed().version());
        Map<String, String> expires = new LinkedHashMap<>();
        now.expiries().forEach((role, time) -> expires.put(role, time.toString()));
        described.put("expires", expires);
        String wrong = problem != null ? problem : expired(now);
        if (wrong != null) {
            described.put("problem", wrong);
        }
        return described;
    }

    private String expired(Published of) {
        Instant now = clock.instant();
        List<String> expired = of.expiries().entrySet().stream().filter(each -> !each.getValue().isAfter(now))
                .map(each -> each.getKey() + " has expired at " + each.getValue()).toList();
        return expired.isEmpty() ? null : String.join("; ", expired);
    }

    /** Checks that a bundle may come, or be retired, without metadata. @throws AnepException EE-428 if the repository has metadata */
    public void checkUnsigned(String name) {
        if (isActive()) {
            throw new AnepException(ErrorCode.NOT_DELEGATED, "this repository takes and retires " + (name == null ? "services" : "versions of " + name)
                    + " with the signature of their publisher: use --keystore");
        }
    }

    /**
     * Makes keys for timestamp and snapshot; they count when a root has them.
     *
     * @return by the role
     * @throws AnepException EE-409
     */
    public synchronized Map<String, Key> makeKeys() {
        Set<RoleKeys> used = published.root() == null ? Set.of() : new HashSet<>(published.root().signed().roles().values());
        Map<String, Key> made = new LinkedHashMap<>();
        made.put(RoleName.TIMESTAMP, keys.make(used).key());
        made.put(RoleName.SNAPSHOT, keys.make(used).key());
        return made;
    }

    /**
     * Takes the first root, or the next.
     *
     * @throws AnepException EE-420; EE-421 if too few have signed it, or this repository has too few of the keys that it gives timestamp and snapshot;
     *                       EE-423; EE-427 if it is not the next version; EE-409 if the disk does not take it
     */
    public synchronized void root(byte[] octets) {
        Metadata<Root> next = Metadata.root(octets);
        long expected = published.root() == null ? 1 : published.root().signed().version() + 1;
        if (next.signed().version() != expected) {
            throw new AnepException(ErrorCode.METADATA_TAKEN, next + " came where version " + expected + " must follow");
        }
        if (published.root() == null) {
            TrustedSet.of(octets);
        } else {
            TrustedSet.of(published.root().octets()).withRoot(octets);
        }
        if (!next.signed().consistent()) {
            throw new AnepException(ErrorCode.BAD_METADATA, "the root says that there are no consistent snapshots, and here are no others");
        }
        checkKeys(next.signed());
        if (next.signed().isExpired(clock.instant())) {
            throw new AnepException(ErrorCode.METADATA_EXPIRED, next + " has expired at " + next.signed().expires());
        }
        stored(() -> {
            files.write(expected + ".root.json", octets);
            published = published.with(next);
            renew();
        });
    }

    /**
     * Takes what a role says next, with a bundle or another file that it lists.
     *
     * @param file null for none; moved if it is taken
     * @throws AnepException EE-420, EE-421 (also if the keys of timestamp and snapshot are not here), EE-423; EE-427 if this version is published already; EE-428 if the role has no say in a path; EE-404 if a
     *                       target changes; EE-425 if a new target is not here; whatever refuses a bundle; EE-409
     */
    public synchronized void role(String role, byte[] octets, Path file) {
        if (!isActive()) {
            throw new AnepException(ErrorCode.NO_METADATA, "this repository has no root yet: 'repository tuf init' makes one");
        }
        checkKeys(published.root().signed());
        stored(this::finish);
        Metadata<Targets> next = Metadata.targets(octets);
        Metadata<Targets> before = published.roles().get(role);
        RoleChange.check(role, before, next, published, clock.instant());
        stored(() -> {
            if (role.equals(RoleName.TARGETS)) {
                keepTarget(next, file);
                perform(new Intent(role, octets, null, List.of()), null);
                files.retainTargets(hashes(before, next));
            } else {
                RoleChange change = RoleChange.between(role, before, next);
                change.checkPaths(published.delegation(role));
                String bundle = file == null ? null : change.checkBundle(file);
                change.checkThere(store.catalogue(), bundle);
                perform(new Intent(role, octets, bundle, change.retired()), file);
            }
        });
        LOG.info("version {} of the role {} is published", next.signed().version(), role);
    }

    private void keepTarget(Metadata<Targets> next, Path file) throws IOException {
        Set<String> listed = hashes(next);
        if (file != null) {
            String sha256 = BundleHash.of(file);
            if (!listed.contains(sha256) || Files.size(file) > LARGEST_FILE) {
                throw new AnepException(ErrorCode.NOT_A_TARGET, "the metadata does not list the file that came with it, or it has more than " + LARGEST_FILE + " octets");
            }
            files.putTarget(file, sha256);
        }
        for (String sha256 : listed) {
            if (files.target(sha256) == null) {
                throw new AnepException(ErrorCode.NOT_A_TARGET, "the file with the content " + sha256 + ", which the metadata lists, is not here");
            }
        }
    }

    @SafeVarargs
    private static Set<String> hashes(Metadata<Targets>... all) {
        Set<String> hashes = new HashSet<>();
        for (Metadata<Targets> each : all) {
            if (each != null) {
                each.signed().targets().values().forEach(file -> hashes.add(file.hashes().sha256()));
            }
        }
        return hashes;
    }

    private void perform(Intent all, Path bundle) throws IOException {
        all.write(intent);
        if (bundle != null) {
            try {
                store.publish(bundle);
            } catch (AnepException e) {
                Intent.remove(intent);
                throw e;
            }
        }
        publish(all.role(), Metadata.targets(all.metadata()));
        retire(all.retired());
        Intent.remove(intent);
    }

    private void retire(List<String> versions) {
        for (String each : versions) {
            int slash = each.lastIndexOf('/');
            String name = each.substring(0, Math.max(slash, 0));
            String version = each.substring(slash + 1);
            if (store.catalogue().find(name, version).isPresent()) {
                store.retire(name, version);
            }
        }
    }

    private void publish(String role, Metadata<Targets> next) throws IOException {
        files.write(next.signed().version() + "." + role + ".json", next.octets());
        sign(published.rolesWith(role, next));
        files.prune(role);
    }

    /** Signs a snapshot of these, and a timestamp of it. */
    private void sign(Map<String, Metadata<Targets>> roles) throws IOException {
        Instant now = clock.instant();
        long version = files.newest(RoleName.SNAPSHOT).orElse(0) + 1;
        byte[] octets = signed(OnlineDrafts.snapshot(version, now.plus(life.multipliedBy(SNAPSHOT_LIVES)), roles), RoleName.SNAPSHOT);
        files.write(version + ".snapshot.json", octets);
        timestamp(Metadata.snapshot(octets), roles);
        files.prune(RoleName.SNAPSHOT);
    }

    private void timestamp(Metadata<Snapshot> snapshot, Map<String, Metadata<Targets>> roles) throws IOException {
        long version = published.timestamp() == null ? 1 : published.timestamp().signed().version() + 1;
        byte[] octets = signed(OnlineDrafts.timestamp(version, clock.instant().plus(life), snapshot.signed().version(), snapshot.octets()), RoleName.TIMESTAMP);
        files.publish(octets);
        published = published.with(Metadata.timestamp(octets), snapshot, roles);
    }

    /** A mirror that has become a repository has none until a root gives it some. */
    private void checkKeys(Root root) {
        for (String role : List.of(RoleName.TIMESTAMP, RoleName.SNAPSHOT)) {
            RoleKeys must = root.role(role);
            if (keys.of(must) < must.threshold()) {
                throw new AnepException(ErrorCode.METADATA_UNSIGNED, "this repository has " + keys.of(must) + " of the keys that the root gives the role " + role + ", and "
                        + must.threshold() + " must sign; it makes keys for 'repository tuf key add " + role + " --repository'");
            }
        }
    }

    private byte[] signed(Draft draft, String role) {
        checkKeys(published.root().signed());
        return keys.sign(draft, published.root().signed().role(role));
    }

    /**
     * Signs snapshot and timestamp again if they expire soon, or if the root has given these roles other keys; and does what is left of a publication
     * that failed half way. To be called again and again.
     */
    public synchronized void renew() {
        try {
            finish();
            if (published.snapshot() != null) {
                Instant now = clock.instant();
                if (isDue(published.snapshot(), RoleName.SNAPSHOT, life.multipliedBy(SNAPSHOT_LIVES), 2, now)) {
                    sign(published.roles());
                } else if (isDue(published.timestamp(), RoleName.TIMESTAMP, life, RENEWED_AFTER, now)) {
                    timestamp(published.snapshot(), published.roles());
                }
            }
            problem = null;
        } catch (IOException | AnepException e) {
            if (problem == null) {
                LOG.error("the metadata cannot be signed again", e);
            }
            problem = "the metadata cannot be signed again: " + e.getMessage();
        }
    }

    /** Whether a part of its life is over, or it is not signed by the keys that count. */
    private boolean isDue(Metadata<?> metadata, String role, Duration whole, int part, Instant now) {
        RoleKeys must = published.root().signed().role(role);
        Instant begun = metadata.signed().expires().minus(whole);
        // Signed when the clock was ahead, it would hold for longer than it should.
        boolean ahead = now.isBefore(begun.minus(whole.dividedBy(part)));
        return must.signers(metadata) < must.threshold() || ahead || !now.isBefore(begun.plus(whole.dividedBy(part)));
    }

    private interface Write {
        void run() throws IOException;
    }

    private void stored(Write write) {
        try {
            write.run();
        } catch (IOException e) {
            LOG.error("metadata cannot be stored", e);
            throw new AnepException(ErrorCode.STORAGE, "the disk did not take the metadata: " + AnepException.reason(e), e);
        }
    }
}
