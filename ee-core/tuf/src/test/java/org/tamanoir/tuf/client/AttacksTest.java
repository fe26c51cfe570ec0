package org.tamanoir.tuf.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.tuf.format.Key;
import org.tamanoir.tuf.format.Metadata;
import org.tamanoir.tuf.format.RoleName;
import org.tamanoir.tuf.format.Targets;
import org.tamanoir.tuf.sign.Draft;
import org.tamanoir.tuf.sign.OnlineDrafts;
import org.tamanoir.tuf.sign.RoleSigner;
import org.tamanoir.tuf.testing.Signers;
import org.tamanoir.tuf.testing.TestClient;
import org.tamanoir.tuf.testing.TestRepository;

/** The attacks of section 1.5.2 of the specification: each is refused with its code, and does not keep the client from what is good afterwards. */
class AttacksTest {
    private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
    private static final String PATH = "meter/1.0.0.jar";

    private final TestRepository repository = new TestRepository(NOW);
    private final RoleSigner publisher = Signers.ed25519();
    private TestClient client;

    @BeforeEach
    void publish() {
        repository.delegate(RoleName.TARGETS, "grid", publisher, "meter/*");
        repository.target("grid", PATH, "one");
        client = new TestClient(repository.firstRoot());
        client.update(repository.files(), NOW);
    }

    private Map<String, byte[]> next() {
        repository.target("grid", "meter/2.0.0.jar", "two");
        return repository.files();
    }

    private void refused(ErrorCode code, Map<String, byte[]> files) {
        refused(code, files, NOW);
    }

    /** Refused, nothing of it is believed, and what the repository has afterwards is taken. */
    private void refused(ErrorCode code, Map<String, byte[]> files, Instant now) {
        assertThat(client.refusal(files, now)).isEqualTo(code);
        repository.time(now);
        repository.target("grid", "meter/3.0.0.jar", "three");
        assertThat(client.update(repository.files(), now).find("meter/3.0.0.jar", now)).isPresent();
    }

    private static Map<String, byte[]> with(Map<String, byte[]> files, String name, byte[] octets) {
        Map<String, byte[]> changed = new TreeMap<>(files);
        changed.put(name, octets);
        return changed;
    }

    private static byte[] signed(byte[] octets, RoleSigner... by) {
        Draft draft = Draft.read(octets).version(Draft.read(octets).version());
        for (RoleSigner signer : by) {
            draft.sign(signer);
        }
        return draft.octets();
    }

    /** As long as it was, and the same JSON; the signatures hold. */
    private static byte[] changed(byte[] octets) {
        return new String(octets, StandardCharsets.UTF_8).replaceFirst(" ", "\t").getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void arbitrarySoftware() {
        Map<String, byte[]> files = next();
        RoleSigner stranger = Signers.ed25519();
        refused(ErrorCode.METADATA_UNSIGNED, with(files, "timestamp.json", signed(files.get("timestamp.json"), stranger)));
        files = next();
        refused(ErrorCode.METADATA_UNSIGNED, with(files, "timestamp.json", signed(files.get("timestamp.json"))));
        files = next();
        // Of another role.
        refused(ErrorCode.METADATA_UNSIGNED, with(files, "timestamp.json", signed(files.get("timestamp.json"), repository.signers(RoleName.SNAPSHOT).get(0))));
    }

    @Test
    void aRootOfSomebodyElse() {
        TestRepository other = new TestRepository(NOW);
        other.root(List.of(), draft -> { });
        refused(ErrorCode.METADATA_UNSIGNED, with(next(), "2.root.json", other.files().get("2.root.json")));
    }

    /** Whoever has one of the keys of the old root, or all of the new one alone, is not believed. */
    @Test
    void aRootThatTheKeysBeforeHaveNotSigned() {
        RoleSigner second = Signers.p256();
        repository.root(repository.signers(RoleName.ROOT), draft -> draft.addKey(RoleName.ROOT, second.key()));
        repository.root(repository.signers(RoleName.ROOT), draft -> draft.threshold(RoleName.ROOT, 2));
        client.update(with(repository.files(), "3.root.json", signed(repository.files().get("3.root.json"), repository.signers(RoleName.ROOT).get(0), second)), NOW);
        assertThat(client.trusted().root().version()).isEqualTo(3);
        RoleSigner thief = Signers.ed25519();
        List<RoleSigner> before = List.of(repository.signers(RoleName.ROOT).get(0));
        repository.root(before, draft -> {
            draft.threshold(RoleName.ROOT, 1);
            draft.addKey(RoleName.ROOT, thief.key());
        });
        Map<String, byte[]> files = repository.files();
        assertThat(client.refusal(with(files, "4.root.json", signed(files.get("4.root.json"), before.get(0), thief)), NOW)).isEqualTo(ErrorCode.METADATA_UNSIGNED);
        assertThat(client.refusal(with(files, "4.root.json", signed(files.get("4.root.json"), before.get(0), before.get(0))), NOW)).isEqualTo(ErrorCode.METADATA_UNSIGNED);
        assertThat(client.trusted().root().version()).isEqualTo(3);
        client.update(with(files, "4.root.json", signed(files.get("4.root.json"), before.get(0), second)), NOW);
        assertThat(client.trusted().root().version()).isEqualTo(4);
    }

    @Test
    void rollbackOfTheTimestamp() {
        Map<String, byte[]> old = repository.files();
        client.update(next(), NOW);
        refused(ErrorCode.METADATA_ROLLBACK, old);
    }

    @Test
    void rollbackOfARootByAnotherVersionUnderItsName() {
        repository.root(repository.signers(RoleName.ROOT), draft -> { });
        client.update(repository.files(), NOW);
        refused(ErrorCode.METADATA_ROLLBACK, with(next(), "3.root.json", repository.files().get("2.root.json")));
    }

    /** Whoever has the key of the timestamp alone cannot go back to an old snapshot. */
    @Test
    void rollbackOfTheSnapshotByANewTimestamp() {
        Map<String, byte[]> old = repository.files();
        client.update(next(), NOW);
        byte[] snapshot = old.get(client.trusted().snapshot().version() - 1 + ".snapshot.json");
        Draft timestamp = OnlineDrafts.timestamp(100, NOW.plus(Duration.ofDays(1)), client.trusted().snapshot().version() - 1, snapshot)
                .sign(repository.signers(RoleName.TIMESTAMP).get(0));
        assertThat(client.refusal(with(repository.files(), "timestamp.json", timestamp.octets()), NOW)).isEqualTo(ErrorCode.METADATA_ROLLBACK);
        assertThat(client.trusted().timestamp().version()).isLessThan(100);
        assertThat(client.refusal(next(), NOW)).isNull();
    }

    /** GHSA-66x3-6cw3-v5gj: go-tuf compared roles but the root with nothing, as if each start were the first. */
    @Test
    void rollbackOfRolesBelowTheRootAfterARestart() {
        Map<String, byte[]> old = repository.files();
        client.update(next(), NOW);
        TrustedSet before = client.trusted();
        Map<String, byte[]> kept = new TreeMap<>();
        before.files().forEach((role, metadata) -> kept.put(role, metadata.octets()));
        TrustedSet after = TrustedSet.restored(kept.remove("root"), kept.remove("timestamp"), kept.remove("snapshot"), kept);
        assertThatThrownBy(() -> after.withTimestamp(old.get("timestamp.json"), NOW)).hasMessageStartingWith("EE-422");
        // A timestamp that names the old snapshot, and a new snapshot that names old metadata of a role, or none.
        repository.snapshot(2, NOW.plus(Duration.ofDays(9)));
        repository.timestamp(50, NOW.plus(Duration.ofDays(1)));
        assertThatThrownBy(() -> after.withTimestamp(repository.files().get("timestamp.json"), NOW)).hasMessageStartingWith("EE-422");
        assertThat(before.snapshot().roles().get("grid").version()).isEqualTo(2);
        byte[] snapshot = snapshotWith(old, "1.grid.json");
        TrustedSet withTimestamp = after.withTimestamp(timestampOf(snapshot), NOW);
        assertThatThrownBy(() -> withTimestamp.withSnapshot(snapshot, NOW)).hasMessageStartingWith("EE-422").hasMessageContaining("grid");
        byte[] without = snapshotWith(old, null);
        TrustedSet again = after.withTimestamp(timestampOf(without), NOW);
        assertThatThrownBy(() -> again.withSnapshot(without, NOW)).hasMessageStartingWith("EE-422").hasMessageContaining("does not name the role grid");
    }

    private byte[] snapshotWith(Map<String, byte[]> files, String grid) {
        Map<String, Metadata<Targets>> roles = new TreeMap<>();
        roles.put("targets", Metadata.targets(files.get(client.trusted().targets("targets").version() + ".targets.json")));
        if (grid != null) {
            roles.put("grid", Metadata.targets(files.get(grid)));
        }
        return OnlineDrafts.snapshot(60, NOW.plus(Duration.ofDays(9)), roles).sign(repository.signers(RoleName.SNAPSHOT).get(0)).octets();
    }

    private byte[] timestampOf(byte[] snapshot) {
        return OnlineDrafts.timestamp(60, NOW.plus(Duration.ofDays(1)), 60, snapshot).sign(repository.signers(RoleName.TIMESTAMP).get(0)).octets();
    }

    @Test
    void freeze() {
        Map<String, byte[]> files = repository.files();
        assertThat(client.refusal(files, NOW.plus(Duration.ofHours(23)))).isNull();
        Catalogue then = client.catalogue();
        assertThat(then.find(PATH, NOW.plus(Duration.ofHours(23)))).isPresent();
        assertThatThrownBy(() -> then.find(PATH, NOW.plus(Duration.ofHours(24)))).hasMessageStartingWith("EE-423").hasMessageContaining("timestamp");
        assertThatThrownBy(() -> then.all(NOW.plus(Duration.ofHours(24)))).hasMessageStartingWith("EE-423");
        refused(ErrorCode.METADATA_EXPIRED, files, NOW.plus(Duration.ofHours(24)));
    }

    @Test
    void freezeByAnExpiredRootSnapshotOrRole() {
        Instant later = NOW.plus(Duration.ofDays(400));
        repository.timestamp(20, later.plus(Duration.ofDays(1)));
        assertThat(client.refusal(repository.files(), later)).isEqualTo(ErrorCode.METADATA_EXPIRED);
        repository.root(repository.signers(RoleName.ROOT), draft -> draft.expires(later.plus(Duration.ofDays(9))));
        assertThatThrownBy(() -> client.update(repository.files(), later)).hasMessageStartingWith("EE-423").hasMessageContaining("snapshot");
        assertThat(client.trusted().timestamp().version()).isEqualTo(20);
        repository.time(later);
        repository.snapshot();
        assertThatThrownBy(() -> client.update(repository.files(), later)).hasMessageStartingWith("EE-423").hasMessageContaining("targets");
        repository.change(RoleName.TARGETS, draft -> draft.expires(later.plus(Duration.ofDays(9))));
        Catalogue catalogue = client.update(repository.files(), later);
        assertThatThrownBy(() -> catalogue.find(PATH, later)).hasMessageStartingWith("EE-423").hasMessageContaining("grid");
        repository.change("grid", draft -> draft.expires(later.plus(Duration.ofDays(9))));
        assertThat(client.update(repository.files(), later).find(PATH, later)).isPresent();
    }

    @Test
    void mixAndMatch() {
        Map<String, byte[]> old = repository.files();
        long before = client.trusted().snapshot().version();
        Map<String, byte[]> files = next();
        refused(ErrorCode.METADATA_MISMATCH, with(files, before + 1 + ".snapshot.json", old.get(before + ".snapshot.json")));
        files = next();
        String snapshot = client.trusted().snapshot().version() + 1 + ".snapshot.json";
        refused(ErrorCode.METADATA_MISMATCH, with(files, snapshot, changed(files.get(snapshot))));
        repository.change(RoleName.TARGETS, draft -> { });
        files = repository.files();
        String targets = client.trusted().targets("targets").version() + 1 + ".targets.json";
        refused(ErrorCode.METADATA_MISMATCH, with(files, targets, changed(files.get(targets))));
        files = next();
        files.remove(client.trusted().snapshot().version() + 1 + ".snapshot.json");
        refused(ErrorCode.METADATA_MISMATCH, files);
    }

    /** What is wrong with one publisher's metadata costs that publisher's targets only. */
    @Test
    void mixAndMatchOfOneRole() {
        repository.delegate(RoleName.TARGETS, "other", Signers.p256(), "other/*");
        repository.target("other", "other/1.jar", "other");
        repository.target("grid", PATH, "two");
        Map<String, byte[]> files = repository.files();
        Catalogue catalogue = client.update(with(files, "2.grid.json", files.get("1.grid.json")), NOW);
        assertThat(catalogue.find("other/1.jar", NOW)).isPresent();
        assertThatThrownBy(() -> catalogue.find(PATH, NOW)).hasMessageStartingWith("EE-424");
        assertThat(catalogue.failed()).containsOnlyKeys("grid");
        assertThat(catalogue.all(NOW)).containsOnlyKeys("other/1.jar");
        assertThat(client.update(files, NOW).all(NOW)).containsKeys("other/1.jar", PATH);
    }

    @Test
    void endlessData() {
        refused(ErrorCode.TOO_LARGE, with(next(), "timestamp.json", new byte[16_385]));
        refused(ErrorCode.TOO_LARGE, with(next(), "2.root.json", new byte[512_001]));
        Map<String, byte[]> files = next();
        String snapshot = client.trusted().snapshot().version() + 1 + ".snapshot.json";
        refused(ErrorCode.TOO_LARGE, with(files, snapshot, new byte[files.get(snapshot).length + 1]));
        assertThatThrownBy(() -> TrustedSet.of(new byte[512_001])).hasMessageStartingWith("EE-420");
    }

    /** Any number of roots that are all good: the rest comes with the next update. */
    @Test
    void endlessRoots() {
        for (int i = 0; i < Update.MOST_ROOTS + 10; i++) {
            repository.root(repository.signers(RoleName.ROOT), draft -> { });
        }
        client.update(repository.files(), NOW);
        assertThat(client.trusted().root().version()).isEqualTo(1 + Update.MOST_ROOTS);
        client.update(repository.files(), NOW);
        assertThat(client.trusted().root().version()).isEqualTo(11 + Update.MOST_ROOTS);
    }

    @Test
    void aCompromiseOfFewerKeysThanMustSign() {
        List<RoleSigner> three = IntStream.range(0, 3).mapToObj(i -> Signers.ed25519()).toList();
        repository.root(repository.signers(RoleName.ROOT), draft -> {
            three.forEach(each -> draft.addKey(RoleName.TIMESTAMP, each.key()));
            draft.threshold(RoleName.TIMESTAMP, 3);
        });
        Map<String, byte[]> files = repository.files();
        byte[] octets = next().get("timestamp.json");
        RoleSigner one = repository.signers(RoleName.TIMESTAMP).get(0);
        assertThat(client.refusal(with(next(), "timestamp.json", signed(octets, three.get(0), one)), NOW)).isEqualTo(ErrorCode.METADATA_UNSIGNED);
        assertThat(client.refusal(with(files, "timestamp.json", signed(octets, three.get(0), three.get(0), one, Signers.p256())), NOW)).isEqualTo(ErrorCode.METADATA_UNSIGNED);
        repository.signers(RoleName.TIMESTAMP).addAll(three);
        assertThat(client.refusal(next(), NOW)).isNull();
    }

    /** One key under two names is one key. */
    @Test
    void aKeyThatIsListedTwice() {
        RoleSigner one = repository.signers(RoleName.TIMESTAMP).get(0);
        byte[] root = new String(signedRootWithTwin(one), StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8);
        Map<String, byte[]> files = with(next(), "2.root.json", root);
        String text = new String(files.get("timestamp.json"), StandardCharsets.UTF_8);
        String signature = text.substring(text.indexOf('{', 2), text.indexOf('}') + 1);
        byte[] twice = text.replace(signature, signature + "," + signature.replace(one.key().id(), "twin")).getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> client.update(with(files, "timestamp.json", twice), NOW)).hasMessageStartingWith("EE-421").hasMessageContaining("signed by 1 of the keys");
        assertThat(client.trusted().root().role(RoleName.TIMESTAMP).keys()).hasSize(2);
    }

    private byte[] signedRootWithTwin(RoleSigner one) {
        repository.root(repository.signers(RoleName.ROOT), draft -> draft.addKey(RoleName.TIMESTAMP, new Key("twin", one.key().type(), one.key().scheme(),
                one.key().value(), one.key().key())));
        byte[] root = repository.files().get("2.root.json");
        String text = new String(root, StandardCharsets.UTF_8);
        int role = text.indexOf("\"timestamp\" : {");
        byte[] raised = (text.substring(0, role) + text.substring(role).replaceFirst("\"threshold\" : 1", "\"threshold\" : 2")).getBytes(StandardCharsets.UTF_8);
        return signed(raised, repository.signers(RoleName.ROOT).get(0));
    }

    /** Somebody had the online keys and said that there are versions that there never will be. */
    @Test
    void fastForward() {
        repository.snapshot(1_000_000, NOW.plus(Duration.ofDays(9)));
        repository.timestamp(2_000_000, NOW.plus(Duration.ofDays(1)));
        client.update(repository.files(), NOW);
        repository.snapshot(10, NOW.plus(Duration.ofDays(9)));
        repository.timestamp(11, NOW.plus(Duration.ofDays(1)));
        assertThat(client.refusal(repository.files(), NOW)).isEqualTo(ErrorCode.METADATA_ROLLBACK);
        // A key more is no recovery: whoever has an old timestamp could show it.
        RoleSigner more = Signers.ed25519();
        repository.root(repository.signers(RoleName.ROOT), draft -> draft.addKey(RoleName.TIMESTAMP, more.key()));
        assertThat(client.refusal(repository.files(), NOW)).isEqualTo(ErrorCode.METADATA_ROLLBACK);
        repository.rotate(RoleName.TIMESTAMP);
        repository.timestamp(12, NOW.plus(Duration.ofDays(1)));
        assertThat(client.refusal(repository.files(), NOW)).isNull();
        assertThat(client.trusted().snapshot().version()).isEqualTo(10);
    }

    @Test
    void fastForwardOfTheSnapshotAlone() {
        repository.snapshot(1_000_000, NOW.plus(Duration.ofDays(9)));
        repository.timestamp();
        client.update(repository.files(), NOW);
        repository.rotate(RoleName.SNAPSHOT);
        repository.snapshot(10, NOW.plus(Duration.ofDays(9)));
        repository.timestamp();
        assertThat(client.refusal(repository.files(), NOW)).isNull();
        assertThat(client.trusted().snapshot().version()).isEqualTo(10);
    }

    /** tough: a timestamp was kept although what it names had been refused. Here it is kept only if it is no step back. */
    @Test
    void aTimestampIsKeptWhoseSnapshotDoesNotComeButNoneThatNamesAnOlderOne() {
        Map<String, byte[]> files = next();
        long version = client.trusted().timestamp().version();
        String snapshot = client.trusted().snapshot().version() + 1 + ".snapshot.json";
        assertThat(client.refusal(with(files, snapshot, new byte[] {'{', '}'}), NOW)).isEqualTo(ErrorCode.METADATA_MISMATCH);
        assertThat(client.trusted().timestamp().version()).isEqualTo(version + 1);
        assertThat(client.trusted().snapshot().version()).isEqualTo(client.trusted().timestamp().snapshot().version() - 1);
        assertThat(client.refusal(files, NOW)).isNull();
        assertThat(client.asked()).containsExactly("2.root.json", "timestamp.json", snapshot, "2.grid.json");
    }

    @Test
    void metadataOfOtherKinds() {
        Map<String, byte[]> files = next();
        byte[] wrong = signed(files.get("1.targets.json"), repository.signers(RoleName.TIMESTAMP).get(0));
        refused(ErrorCode.BAD_METADATA, with(files, "timestamp.json", wrong));
        for (String text : List.of("", "{}", "{\"signed\":{},\"signatures\":[]}", "{\"signed\":{\"_type\":\"timestamp\"},\"signatures\":[]}", "[]")) {
            refused(ErrorCode.BAD_METADATA, with(next(), "timestamp.json", text.getBytes(StandardCharsets.UTF_8)));
        }
        List<String> broken = new ArrayList<>();
        String good = new String(next().get("timestamp.json"), StandardCharsets.UTF_8);
        for (String[] change : new String[][] {{"\"version\" : ", "\"version\" : -"}, {"\"version\" : ", "\"version\" : 0, \"was\" : "}, {"1.0.31", "2.0.0"}, {"1.0.31", "1"},
            {"2030-01-02T00:00:00Z", "2030-02-30T00:00:00Z"}, {"2030-01-02T00:00:00Z", "2030-01-02T00:00:00+01:00"}, {"2030-01-02T00:00:00Z", "never"},
            {"snapshot.json", "snapshot.xml"}, {"snapshot.json", "../snapshot.json"}, {"snapshot.json", "targets.json"}, {"sha256", "md5"}, {"\"length\" : ", "\"length\" : \"7\", \"was\" : "}}) {
            assertThat(good).contains(change[0]);
            broken.add(good.replace(change[0], change[1]));
        }
        for (String text : broken) {
            assertThat(client.refusal(with(next(), "timestamp.json", signed(text.getBytes(StandardCharsets.UTF_8), repository.signers(RoleName.TIMESTAMP).get(0))), NOW))
                    .as(text).isEqualTo(ErrorCode.BAD_METADATA);
        }
    }

    @Test
    void nothingIsThereYet() {
        assertThat(new TestClient(repository.firstRoot()).refusal(Map.of(), NOW)).isEqualTo(ErrorCode.NO_METADATA);
        Map<String, byte[]> files = next();
        files.remove("2.grid.json");
        Catalogue catalogue = client.update(files, NOW);
        assertThatThrownBy(() -> catalogue.find(PATH, NOW)).hasMessageStartingWith("EE-424").hasMessageContaining("2.grid.json");
    }

    /** A clock that is an hour off costs nothing where metadata holds for a day; one that is a day off says so. */
    @Test
    void aClockThatIsWrong() {
        assertThat(client.refusal(next(), NOW.minus(Duration.ofHours(1)))).isNull();
        assertThat(client.refusal(next(), NOW.plus(Duration.ofHours(1)))).isNull();
        assertThatThrownBy(() -> client.update(next(), NOW.plus(Duration.ofDays(1)))).hasMessageContaining("or this clock is wrong");
        repository.timestamp(100, NOW.plus(Duration.ofMinutes(30)));
        assertThat(client.refusal(repository.files(), NOW.plus(Duration.ofHours(1)))).isEqualTo(ErrorCode.METADATA_EXPIRED);
        assertThat(client.refusal(repository.files(), NOW)).isNull();
    }
}
