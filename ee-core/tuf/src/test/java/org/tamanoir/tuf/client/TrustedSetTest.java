package org.tamanoir.tuf.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.tuf.format.RoleName;
import org.tamanoir.tuf.sign.Draft;
import org.tamanoir.tuf.sign.RoleSigner;
import org.tamanoir.tuf.sign.RootDraft;
import org.tamanoir.tuf.sign.TargetsDraft;
import org.tamanoir.tuf.testing.Signers;
import org.tamanoir.tuf.testing.TestClient;
import org.tamanoir.tuf.testing.TestRepository;

/** Each step of the workflow by itself, where another check would catch what one of them overlooks. */
class TrustedSetTest {
    private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
    private static final Duration YEARS = Duration.ofDays(900);

    private final TestRepository repository = new TestRepository(NOW);
    private final RoleSigner publisher = Signers.ed25519();

    @BeforeEach
    void publish() {
        repository.delegate(RoleName.TARGETS, "grid", publisher, "meter/*");
        repository.target("grid", "meter/1.jar", "one");
    }

    private TrustedSet trusted() {
        TestClient client = new TestClient(repository.firstRoot());
        client.update(repository.files(), NOW);
        return client.trusted();
    }

    /** A file with other text in it, signed by a role. */
    private byte[] changed(byte[] octets, String role, String from, String to) {
        String text = new String(octets, StandardCharsets.UTF_8).replaceAll(from, to);
        Draft draft = Draft.read(text.getBytes(StandardCharsets.UTF_8));
        draft.version(draft.version());
        repository.signers(role).forEach(draft::sign);
        return draft.octets();
    }

    /** Snapshot and timestamp that say nothing but versions of what they name. */
    private Map<String, byte[]> withoutHashes() {
        Map<String, byte[]> files = repository.files();
        files.replaceAll((name, octets) -> name.endsWith("snapshot.json") ? bare(octets, RoleName.SNAPSHOT) : name.equals("timestamp.json") ? bare(octets, RoleName.TIMESTAMP) : octets);
        return files;
    }

    private byte[] bare(byte[] octets, String role) {
        return changed(octets, role, ",\\s*\"length\" : \\d+,\\s*\"hashes\" : \\{[^}]*}", "");
    }

    @Test
    void aFirstRootIsSignedByItsOwnKeys() {
        RootDraft root = RootDraft.of(repository.firstRoot());
        root.expires(NOW.plus(YEARS));
        assertThatThrownBy(() -> TrustedSet.of(root.octets())).hasMessageStartingWith("EE-421");
        assertThatThrownBy(() -> TrustedSet.of(root.sign(Signers.p256()).octets())).hasMessageStartingWith("EE-421");
        assertThat(TrustedSet.of(root.sign(repository.signers(RoleName.ROOT).get(0)).octets()).root().expires()).isEqualTo(NOW.plus(YEARS));
    }

    @Test
    void aNewRootIsSignedByItsOwnKeysToo() {
        RootDraft root = RootDraft.of(repository.firstRoot()).next();
        RoleSigner next = Signers.p256();
        root.addKey(RoleName.ROOT, next.key());
        root.removeKey(RoleName.ROOT, repository.signers(RoleName.ROOT).get(0).key().id());
        root.sign(repository.signers(RoleName.ROOT).get(0));
        TrustedSet before = trusted();
        assertThatThrownBy(() -> before.withRoot(root.octets())).hasMessageStartingWith("EE-421").hasMessageContaining("this root itself");
        root.sign(next);
        TrustedSet after = before.withRoot(root.octets());
        assertThat(after.root().version()).isEqualTo(2);
        assertThat(after.timestamp()).isNotNull();
    }

    @Test
    void aRootThatIsNotTheNextOne() {
        TrustedSet before = trusted();
        for (long version : new long[] {1, 3, 1L << 52}) {
            RootDraft root = RootDraft.of(repository.firstRoot());
            root.version(version).sign(repository.signers(RoleName.ROOT).get(0));
            assertThatThrownBy(() -> before.withRoot(root.octets())).hasMessageStartingWith("EE-422").hasMessageContaining("where version 2 must follow");
        }
    }

    /** What was signed by as many as had to is not, once more have to. */
    @Test
    void aThresholdThatIsRaisedMakesOldMetadataUnsigned() {
        RoleSigner second = Signers.ed25519();
        TrustedSet before = trusted();
        repository.root(repository.signers(RoleName.ROOT), draft -> {
            draft.addKey(RoleName.SNAPSHOT, second.key());
            draft.threshold(RoleName.SNAPSHOT, 2);
        });
        TrustedSet after = before.withRoot(repository.files().get("2.root.json"));
        assertThat(after.timestamp()).isNotNull();
        assertThat(after.snapshot()).isNull();
        assertThat(after.targets(RoleName.TARGETS)).as("no snapshot names it").isNull();
        assertThatThrownBy(() -> after.checkSnapshot(NOW)).hasMessageStartingWith("EE-429");
    }

    @Test
    void everyStepNeedsTheOneBefore() {
        TrustedSet first = TrustedSet.of(repository.firstRoot());
        Map<String, byte[]> files = repository.files();
        assertThatThrownBy(() -> first.withSnapshot(files.get("3.snapshot.json"), NOW)).hasMessageStartingWith("EE-429");
        TrustedSet second = first.withTimestamp(files.get("timestamp.json"), NOW);
        assertThatThrownBy(() -> second.withTargets(RoleName.TARGETS, files.get("2.targets.json"), NOW)).hasMessageStartingWith("EE-429");
        TrustedSet third = second.withSnapshot(files.get("3.snapshot.json"), NOW);
        assertThatThrownBy(() -> third.withTargets("grid", files.get("1.grid.json"), NOW)).hasMessageStartingWith("EE-421").hasMessageContaining("nobody delegates");
        assertThatThrownBy(() -> third.withTargets("other", files.get("1.grid.json"), NOW)).hasMessageStartingWith("EE-424");
        TrustedSet fourth = third.withTargets(RoleName.TARGETS, files.get("2.targets.json"), NOW);
        assertThat(fourth.withTargets("grid", files.get("1.grid.json"), NOW).targets("grid").version()).isEqualTo(1);
        // Nothing of this while something above has expired.
        Instant later = NOW.plus(Duration.ofDays(2));
        assertThatThrownBy(() -> second.withSnapshot(files.get("3.snapshot.json"), later)).hasMessageStartingWith("EE-423");
        assertThatThrownBy(() -> fourth.withTargets("grid", files.get("1.grid.json"), later)).hasMessageStartingWith("EE-423");
        assertThatThrownBy(() -> first.withTimestamp(files.get("timestamp.json"), NOW.plus(YEARS))).hasMessageStartingWith("EE-423").hasMessageContaining("root");
    }

    @Test
    void aSnapshotThatHasExpiredIsNotTaken() {
        TrustedSet before = trusted();
        repository.snapshot(9, NOW.plus(Duration.ofHours(1)));
        repository.timestamp();
        Instant later = NOW.plus(Duration.ofHours(2));
        TrustedSet with = before.withTimestamp(repository.files().get("timestamp.json"), later);
        assertThatThrownBy(() -> with.withSnapshot(repository.files().get("9.snapshot.json"), later)).hasMessageStartingWith("EE-423").hasMessageContaining("snapshot");
        assertThatThrownBy(() -> with.checkSnapshot(NOW)).hasMessageStartingWith("EE-424").hasMessageContaining("names version 9");
        assertThatThrownBy(() -> with.withTargets("grid", repository.files().get("1.grid.json"), NOW)).hasMessageStartingWith("EE-424");
    }

    /** One that has expired before it came is not even remembered: it would keep out what replaces it. */
    @Test
    void aTimestampThatHasExpiredIsNotTaken() {
        TrustedSet before = trusted();
        repository.timestamp(50, NOW.minusSeconds(1));
        assertThatThrownBy(() -> before.withTimestamp(repository.files().get("timestamp.json"), NOW)).hasMessageStartingWith("EE-423");
        TestClient client = new TestClient(repository.firstRoot());
        assertThatThrownBy(() -> client.update(repository.files(), NOW)).hasMessageStartingWith("EE-423");
        assertThat(client.trusted().timestamp()).isNull();
    }

    /** Where hashes are left out, versions alone keep states apart. */
    @Test
    void versionsAreComparedWhereNoHashIsSaid() {
        TestClient client = new TestClient(repository.firstRoot());
        Map<String, byte[]> files = withoutHashes();
        assertThat(client.update(files, NOW).find("meter/1.jar", NOW)).isPresent();
        assertThat(client.trusted().timestamp().snapshot().hashes()).isEmpty();
        repository.target("grid", "meter/2.jar", "two");
        Map<String, byte[]> next = withoutHashes();
        Map<String, byte[]> oldSnapshot = new TreeMap<>(next);
        oldSnapshot.put("4.snapshot.json", next.get("3.snapshot.json"));
        assertThatThrownBy(() -> client.update(oldSnapshot, NOW)).hasMessageStartingWith("EE-424").hasMessageContaining("names version 4");
        Map<String, byte[]> oldRole = new TreeMap<>(next);
        oldRole.put("2.grid.json", next.get("1.grid.json"));
        assertThatThrownBy(() -> client.update(oldRole, NOW).find("meter/2.jar", NOW)).hasMessageStartingWith("EE-424").hasMessageContaining("names version 2");
        assertThat(client.update(next, NOW).find("meter/2.jar", NOW)).isPresent();
        repository.change(RoleName.TARGETS, draft -> { });
        Map<String, byte[]> last = withoutHashes();
        last.put("3.targets.json", last.get("2.targets.json"));
        assertThatThrownBy(() -> client.update(last, NOW)).hasMessageStartingWith("EE-424").hasMessageContaining("names version 3");
    }

    /** The same version with other content: somebody who has all online keys began anew. */
    @Test
    void contentThatTheSnapshotDoesNotNameAnyMoreIsNotUsed() {
        TestClient client = new TestClient(repository.firstRoot());
        client.update(repository.files(), NOW);
        byte[] other = changed(repository.files().get("1.grid.json"), "grid", "\"expires\" : \"2031", "\"expires\" : \"2032");
        repository.put("grid", TargetsDraft.of(other));
        repository.snapshot();
        TrustedSet with = client.trusted().withTimestamp(repository.files().get("timestamp.json"), NOW).withSnapshot(repository.files().get("4.snapshot.json"), NOW);
        assertThat(with.targets("grid")).isNull();
        assertThat(with.targets(RoleName.TARGETS)).isNotNull();
        assertThat(client.update(repository.files(), NOW).trusted().targets("grid").expires()).isEqualTo(Instant.parse("2032-01-01T00:00:00Z"));
        assertThat(client.asked()).contains("1.grid.json").doesNotContain("2.targets.json");
    }

    @Test
    void whatWasKeptIsCompleteOrSaidNotToBe() {
        TrustedSet whole = trusted();
        Map<String, byte[]> kept = new TreeMap<>();
        whole.files().forEach((role, metadata) -> kept.put(role, metadata.octets()));
        byte[] root = kept.remove("root");
        byte[] timestamp = kept.remove("timestamp");
        byte[] snapshot = kept.remove("snapshot");
        Catalogue restored = Catalogue.restored(TrustedSet.restored(root, timestamp, snapshot, kept));
        assertThat(restored.find("meter/1.jar", NOW)).isPresent();
        assertThat(restored.trusted().targets("grid").version()).isEqualTo(1);
        assertThatThrownBy(() -> Catalogue.restored(TrustedSet.restored(root, timestamp, snapshot, Map.of()))).hasMessageStartingWith("EE-429");
        assertThatThrownBy(() -> Catalogue.restored(TrustedSet.restored(root, timestamp, null, kept))).hasMessageStartingWith("EE-429");
        assertThatThrownBy(() -> Catalogue.restored(TrustedSet.restored(root, null, null, kept))).hasMessageStartingWith("EE-429");
        Catalogue partly = Catalogue.restored(TrustedSet.restored(root, timestamp, snapshot, Map.of("targets", kept.get("targets"))));
        assertThatThrownBy(() -> partly.find("meter/1.jar", NOW)).hasMessageStartingWith("EE-421");
        // A root that has given the targets another key since.
        repository.rotate(RoleName.TARGETS);
        assertThatThrownBy(() -> Catalogue.restored(whole.withRoot(repository.files().get("2.root.json")))).hasMessageStartingWith("EE-429");
        TestRepository other = new TestRepository(NOW);
        assertThatThrownBy(() -> TrustedSet.restored(other.firstRoot(), timestamp, snapshot, kept)).hasMessageStartingWith("EE-421");
    }

    /** As many roots as are taken at once, of which the last has expired. */
    @Test
    void anUpdateThatEndsWithARootThatHasExpired() {
        for (int i = 0; i < Update.MOST_ROOTS; i++) {
            repository.root(repository.signers(RoleName.ROOT), draft -> draft.expires(NOW.minusSeconds(1)));
        }
        TestClient client = new TestClient(repository.firstRoot());
        assertThatThrownBy(() -> client.update(repository.files(), NOW)).hasMessageStartingWith("EE-423").hasMessageContaining("root");
        assertThat(client.asked()).doesNotContain("timestamp.json");
        assertThat(client.trusted().root().version()).isEqualTo(1 + Update.MOST_ROOTS);
    }

    /** Another delegator's key makes no metadata of a role believed that its own delegator has not given a key. */
    @Test
    void aRoleThatSeveralDelegateToIsBelievedByWhoseKeysHaveSignedIt() {
        RoleSigner foreign = Signers.ed25519();
        repository.change(RoleName.TARGETS, draft -> {
            draft.addKey("grid", foreign.key());
            draft.removeKey("grid", publisher.key().id());
        });
        assertThatThrownBy(() -> new TestClient(repository.firstRoot()).update(repository.files(), NOW).find("meter/1.jar", NOW)).hasMessageStartingWith("EE-421");
        assertThat(new TestClient(repository.firstRoot()).update(repository.files(), NOW).all(NOW)).isEmpty();
    }
}
