package org.tamanoir.repository;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.tamanoir.anep.ServiceName;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.tuf.ServiceTarget;
import org.tamanoir.tuf.format.Hashes;
import org.tamanoir.tuf.format.Key;
import org.tamanoir.tuf.format.Metadata;
import org.tamanoir.tuf.format.RoleName;
import org.tamanoir.tuf.sign.RoleSigner;
import org.tamanoir.tuf.sign.RootDraft;
import org.tamanoir.tuf.sign.TargetsDraft;
import org.tamanoir.tuf.testing.Signers;

/** Those who sign for a repository: the owner of its root and targets, and publishers. They speak HTTP. */
final class Ceremony {
    private static final Duration YEAR = Duration.ofDays(365);

    final RoleSigner owner = Signers.ed25519();
    HttpFetch http;
    private final Map<String, RoleSigner> publishers = new HashMap<>();
    private final Map<String, TargetsDraft> drafts = new HashMap<>();
    private RootDraft root;

    Ceremony(HttpFetch http) {
        this.http = http;
    }

    /** The same people, and the repository at another address. */
    Ceremony at(HttpFetch other) {
        http = other;
        return this;
    }

    /** The version that a role has published. */
    long version(String role) {
        return drafts.get(role).version();
    }

    /** Root and targets in their first versions. */
    Ceremony begin() throws IOException {
        JsonNode keys = http.post("/tuf/keys", Map.of());
        root = new RootDraft(Instant.now().plus(YEAR));
        root.addKey(RoleName.ROOT, owner.key());
        root.addKey(RoleName.TARGETS, owner.key());
        root.addKey(RoleName.TIMESTAMP, key(keys, RoleName.TIMESTAMP));
        root.addKey(RoleName.SNAPSHOT, key(keys, RoleName.SNAPSHOT));
        root.sign(owner);
        http.put("/tuf/root", root.octets(), 0);
        TargetsDraft targets = new TargetsDraft(Instant.now().plus(YEAR));
        drafts.put(RoleName.TARGETS, targets);
        targets.sign(owner);
        put(RoleName.TARGETS, new byte[0], targets.octets());
        return this;
    }

    private static Key key(JsonNode keys, String role) {
        JsonNode key = keys.path(role).path("key");
        RootDraft reader = new RootDraft(Instant.now());
        reader.addKey(role, new Key(keys.path(role).path("id").asText(), key.path("keytype").asText(), key.path("scheme").asText(), key.path("keyval").path("public").asText(), null));
        return Metadata.root(reader.octets()).signed().keys().values().iterator().next();
    }

    byte[] firstRoot() {
        return http.bytes("/tuf/1.root.json", 1 << 20);
    }

    /** The next root. */
    void root(Consumer<RootDraft> change) {
        change.accept(root);
        root.version(root.version() + 1);
        root.sign(owner);
        http.put("/tuf/root", root.octets(), 0);
    }

    /** Keys of timestamp and snapshot that the repository has made just now. */
    Map<String, Key> newKeys() {
        JsonNode keys = http.post("/tuf/keys", Map.of());
        return Map.of(RoleName.TIMESTAMP, key(keys, RoleName.TIMESTAMP), RoleName.SNAPSHOT, key(keys, RoleName.SNAPSHOT));
    }

    void delegate(String role, String... names) throws IOException {
        publishers.computeIfAbsent(role, each -> Signers.p256());
        targets(draft -> draft.delegate(role, publishers.get(role).key(), List.of(names).stream().map(ServiceTarget::paths).toList()));
    }

    RoleSigner publisher(String role) {
        return publishers.get(role);
    }

    /** What the targets role says next. */
    void targets(Consumer<TargetsDraft> change) throws IOException {
        targets(change, new byte[0]);
    }

    /** The same with a file that it lists. */
    void targets(Consumer<TargetsDraft> change, byte[] file) throws IOException {
        TargetsDraft draft = drafts.get(RoleName.TARGETS);
        change.accept(draft);
        draft.version(draft.version() + 1);
        draft.sign(owner);
        put(RoleName.TARGETS, file, draft.octets());
    }

    /** What a publisher's role says next, of which nobody knows yet: for {@link #put}. */
    byte[] next(String role, Consumer<TargetsDraft> change) {
        TargetsDraft before = drafts.get(role);
        TargetsDraft draft = before == null ? new TargetsDraft(Instant.now().plus(YEAR)) : TargetsDraft.of(before.octets()).next();
        change.accept(draft);
        draft.sign(publishers.get(role));
        return draft.octets();
    }

    /** Publishes a bundle under a role. */
    void push(String role, String name, int typeId, String version, byte[] bundle) throws IOException {
        byte[] metadata = next(role, draft -> list(draft, name, typeId, version, bundle));
        put(role, bundle, metadata);
        drafts.put(role, TargetsDraft.of(metadata));
    }

    static void list(TargetsDraft draft, String name, int typeId, String version, byte[] bundle) {
        ServiceTarget target = new ServiceTarget(name, version, typeId, ServiceName.isGuest(name) ? "heavy" : "middle", Hashes.sha256(bundle), bundle.length);
        draft.target(target.path(), target.size(), target.sha256(), target.custom());
    }

    /** Publishes what a role says, with a file or without. */
    void put(String role, byte[] file, byte[] metadata) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.write(file);
        body.write(metadata);
        http.send("PUT", "/tuf/roles/" + role + "?metadata=" + metadata.length, "application/octet-stream", body.toByteArray(), 0);
    }

    void published(String role, byte[] metadata) {
        drafts.put(role, TargetsDraft.of(metadata));
    }
}
