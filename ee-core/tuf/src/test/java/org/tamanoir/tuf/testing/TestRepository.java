package org.tamanoir.tuf.testing;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.tamanoir.tuf.format.Hashes;
import org.tamanoir.tuf.format.Metadata;
import org.tamanoir.tuf.format.RoleName;
import org.tamanoir.tuf.format.Targets;
import org.tamanoir.tuf.sign.Draft;
import org.tamanoir.tuf.sign.OnlineDrafts;
import org.tamanoir.tuf.sign.RoleSigner;
import org.tamanoir.tuf.sign.RootDraft;
import org.tamanoir.tuf.sign.TargetsDraft;

/** A repository in memory, with all its keys: a test publishes with it, and attacks with what it has published. */
public final class TestRepository {
    private static final Duration LONG = Duration.ofDays(365);

    /** Who signs each role; the root role's sign the next root, those that were there before as well. */
    private final Map<String, List<RoleSigner>> signers = new HashMap<>();
    private final Map<String, TargetsDraft> drafts = new LinkedHashMap<>();
    private final Map<String, Metadata<Targets>> published = new TreeMap<>();
    private final Map<String, byte[]> files = new TreeMap<>();
    private RootDraft root;
    private long snapshotVersion;
    private long timestampVersion;
    private Instant now;

    /** A key a role, a first root, no targets. */
    public TestRepository(Instant now) {
        this.now = now;
        root = new RootDraft(now.plus(LONG));
        for (String role : List.of(RoleName.ROOT, RoleName.TIMESTAMP, RoleName.SNAPSHOT, RoleName.TARGETS)) {
            signers.put(role, new ArrayList<>(List.of(Signers.ed25519())));
            root.addKey(role, signers.get(role).get(0).key());
        }
        drafts.put(RoleName.TARGETS, new TargetsDraft(now.plus(LONG)));
        signRoot(signers.get(RoleName.ROOT));
        publish(RoleName.TARGETS);
    }

    public void time(Instant newNow) {
        now = newNow;
    }

    public List<RoleSigner> signers(String role) {
        return signers.get(role);
    }

    /** What it serves now, by the name of the file; a copy. */
    public Map<String, byte[]> files() {
        return new TreeMap<>(files);
    }

    public byte[] firstRoot() {
        return files.get("1.root.json");
    }

    /** Publishes the next root. @param by who signs it besides those that the new one names */
    public void root(List<RoleSigner> by, Consumer<RootDraft> change) {
        change.accept(root);
        root.version(root.version() + 1);
        signRoot(by);
    }

    private void signRoot(List<RoleSigner> by) {
        by.forEach(root::sign);
        files.put(root.version() + ".root.json", root.octets());
    }

    /** Takes a role's keys away and gives it another one, in the next root. */
    public void rotate(String role) {
        List<RoleSigner> before = List.copyOf(signers.get(RoleName.ROOT));
        RoleSigner next = Signers.p256();
        List<RoleSigner> all = new ArrayList<>(before);
        if (role.equals(RoleName.ROOT)) {
            all.add(next);
        }
        root(all, draft -> {
            draft.addKey(role, next.key());
            signers.get(role).forEach(old -> draft.removeKey(role, old.key().id()));
        });
        signers.put(role, new ArrayList<>(List.of(next)));
    }

    /** Trusts a role with some paths; it has published nothing. */
    public void delegate(String by, String role, RoleSigner signer, String... paths) {
        drafts.get(by).delegate(role, signer.key(), List.of(paths));
        signers.put(role, new ArrayList<>(List.of(signer)));
        drafts.put(role, new TargetsDraft(now.plus(LONG)));
        next(by);
    }

    /** Changes what a role says, and publishes the next version of it. */
    public void change(String role, Consumer<TargetsDraft> change) {
        change.accept(drafts.get(role));
        if (published.containsKey(role)) {
            next(role);
        } else {
            publish(role);
        }
    }

    /** Publishes a target of a role. */
    public void target(String role, String path, String content) {
        change(role, draft -> draft.target(path, content.length(), Hashes.sha256(content.getBytes(StandardCharsets.UTF_8)), Map.of()));
    }

    private void next(String role) {
        drafts.get(role).version(drafts.get(role).version() + 1);
        publish(role);
    }

    /** Signs what a role says, and everything below. */
    private void publish(String role) {
        put(role, drafts.get(role));
        snapshot();
    }

    /** Puts metadata of a role in its place, whoever has signed it, without a new snapshot. */
    public void put(String role, TargetsDraft draft) {
        signers.get(role).forEach(draft::sign);
        byte[] octets = draft.octets();
        files.put(draft.version() + "." + role + ".json", octets);
        published.put(role, Metadata.targets(octets));
    }

    /** Publishes the next snapshot, and a timestamp of it. */
    public void snapshot() {
        snapshot(snapshotVersion + 1, now.plus(LONG));
        timestamp();
    }

    /** Writes a snapshot of what is published. */
    public void snapshot(long version, Instant expires) {
        Draft draft = OnlineDrafts.snapshot(version, expires, published);
        signers.get(RoleName.SNAPSHOT).forEach(draft::sign);
        snapshotVersion = version;
        files.put(version + ".snapshot.json", draft.octets());
    }

    /** Publishes the next timestamp, which holds for a day. */
    public void timestamp() {
        timestamp(timestampVersion + 1, now.plus(Duration.ofDays(1)));
    }

    /** Writes a timestamp of the newest snapshot. */
    public void timestamp(long version, Instant expires) {
        Draft draft = OnlineDrafts.timestamp(version, expires, snapshotVersion, files.get(snapshotVersion + ".snapshot.json"));
        signers.get(RoleName.TIMESTAMP).forEach(draft::sign);
        timestampVersion = version;
        files.put("timestamp.json", draft.octets());
    }
}
