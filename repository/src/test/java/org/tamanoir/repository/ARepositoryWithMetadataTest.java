package org.tamanoir.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.repository.mirror.MirrorSettings;
import org.tamanoir.tuf.ServiceTarget;
import org.tamanoir.tuf.format.Hashes;
import org.tamanoir.tuf.format.Key;
import org.tamanoir.tuf.format.Metadata;
import org.tamanoir.tuf.format.RoleName;
import org.tamanoir.tuf.sign.Draft;
import org.tamanoir.tuf.sign.RoleSigner;
import org.tamanoir.tuf.sign.RootDraft;
import org.tamanoir.tuf.testing.Oracle;
import org.tamanoir.tuf.testing.Signers;

/** A repository that publishes by TUF: what python-tuf makes of it, what it takes, and what it refuses. */
class ARepositoryWithMetadataTest {
    private static final String PATH = "meter/1.0.0.jar";
    private static final byte[] ONE = Bundles.good("meter", 0x5501, "1.0.0");
    private static final byte[] TWO = Bundles.good("meter", 0x5501, "2.0.0");

    @TempDir
    private Path directory;
    private Repo repo;
    private Ceremony ceremony;

    @BeforeEach
    void begin() throws IOException {
        repo = new Repo(Repo.settings(directory.resolve("data")));
        ceremony = new Ceremony(repo.http);
    }

    @AfterEach
    void stop() {
        repo.close();
    }

    private void published() throws IOException {
        ceremony.begin().delegate("grid", "meter", "gauge");
        ceremony.push("grid", "meter", 0x5501, "1.0.0", ONE);
    }

    private static void refused(ErrorCode code, ThrowingCallable call) {
        assertThatExceptionOfType(AnepException.class).isThrownBy(call).satisfies(e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
    }

    private long version(String file) {
        return switch (file) {
            case "timestamp.json" -> Metadata.timestamp(repo.http.bytes("/tuf/timestamp.json", 1 << 20)).signed().version();
            default -> Metadata.timestamp(repo.http.bytes("/tuf/timestamp.json", 1 << 20)).signed().snapshot().version();
        };
    }

    @Test
    void givesAGuestAllNamesBelowTheLabel() throws Exception {
        ceremony.begin().delegate("cms", "~cms/*");
        byte[] filter = Bundles.wasm("~cms/filter", 0x5801, "1.0.0");
        ceremony.push("cms", "~cms/filter", 0x5801, "1.0.0", filter);
        byte[] gate = Bundles.wasm("~cms/gate", 0x5802, "1.0.0");
        ceremony.push("cms", "~cms/gate", 0x5802, "1.0.0", gate);
        assertThat(repo.http.bytes("/tuf/targets/~cms/filter/" + Repo.sha256(filter) + ".1.0.0.jar", 1 << 20)).isEqualTo(filter);
        assertThat(repo.index()).hasSize(2);
        byte[] other = Bundles.wasm("~cms2/filter", 0x5803, "1.0.0");
        refused(ErrorCode.NOT_DELEGATED, () -> ceremony.push("cms", "~cms2/filter", 0x5803, "1.0.0", other));
        byte[] plain = Bundles.good("meter", 0x5501, "1.0.0");
        refused(ErrorCode.NOT_DELEGATED, () -> ceremony.push("cms", "meter", 0x5501, "1.0.0", plain));
        // What is no target any more is retired, by a name with a slash in it.
        ceremony.put("cms", new byte[0], ceremony.next("cms", draft -> draft.removeTarget("~cms/filter/1.0.0.jar")));
        assertThat(repo.http.json("/services/~cms~filter/1.0.0").path("retired").asBoolean()).isTrue();
        assertThat(repo.http.json("/services/~cms~gate/1.0.0").path("retired").asBoolean(true)).isFalse();
    }

    @Test
    void isReadByPythonTufAsItIs() throws Exception {
        published();
        byte[] revoked = "serial 1\n".getBytes(StandardCharsets.UTF_8);
        ceremony.targets(draft -> draft.target("revoked.txt", revoked.length, Hashes.sha256(revoked), Map.of()), revoked);
        byte[] root = ceremony.firstRoot();
        try (Oracle oracle = new Oracle(directory)) {
            JsonNode answer = oracle.download("a", root, repo.server.url(), List.of(PATH, "meter/2.0.0.jar", "revoked.txt", "other/1.0.0.jar"));
            assertThat(answer.path("error").asText()).isEmpty();
            assertThat(answer.path("found").path(PATH).asText()).isEqualTo(Hashes.sha256(ONE));
            assertThat(answer.path("found").path("revoked.txt").asText()).isEqualTo(Hashes.sha256(revoked));
            assertThat(answer.path("found").path("meter/2.0.0.jar").isNull()).isTrue();
            assertThat(answer.path("found").path("other/1.0.0.jar").isNull()).isTrue();
            ceremony.push("grid", "meter", 0x5501, "2.0.0", TWO);
            // Keys of the online roles change.
            replaceOnlineKeys();
            answer = oracle.download("a", root, repo.server.url(), List.of(PATH, "meter/2.0.0.jar"));
            assertThat(answer.path("found").path("meter/2.0.0.jar").asText()).as(answer.toString()).isEqualTo(Hashes.sha256(TWO));
            answer = oracle.download("b", root, repo.server.url(), List.of(PATH));
            assertThat(answer.path("found").path(PATH).asText()).as(answer.toString()).isEqualTo(Hashes.sha256(ONE));
        }
    }

    private void replaceOnlineKeys() {
        Map<String, Key> next = ceremony.newKeys();
        ceremony.root(draft -> next.forEach((role, key) -> {
            draft.addKey(role, key);
            Metadata.root(draft.octets()).signed().role(role).keys().stream().filter(old -> !old.isSame(key)).forEach(old -> draft.removeKey(role, old.id()));
        }));
    }

    @Test
    void answersCheaplyWhatHasNotChanged() throws Exception {
        refused(ErrorCode.NO_METADATA, () -> repo.http.bytes("/tuf/timestamp.json", 1 << 20));
        published();
        HttpFetch.Fetched first = repo.http.ifChanged("/tuf/timestamp.json", null, 1 << 20);
        assertThat(first.body()).isPresent();
        assertThat(repo.http.ifChanged("/tuf/timestamp.json", first.etag(), 1 << 20).body()).isEmpty();
        ceremony.push("grid", "meter", 0x5501, "2.0.0", TWO);
        assertThat(repo.http.ifChanged("/tuf/timestamp.json", first.etag(), 1 << 20).body()).isPresent();
        refused(ErrorCode.NOT_FOUND, () -> repo.http.bytes("/tuf/9.root.json", 1 << 20));
        refused(ErrorCode.NOT_FOUND, () -> repo.http.bytes("/tuf/catalogue.json", 1 << 20));
        refused(ErrorCode.NOT_FOUND, () -> repo.http.bytes("/tuf/targets/meter/1.0.0.jar", 1 << 20));
        refused(ErrorCode.NOT_FOUND, () -> repo.http.bytes("/tuf/targets/meter/" + "0".repeat(64) + ".1.0.0.jar", 1 << 20));
    }

    /** Whoever is not the publisher changes nothing, whatever the repository lets them do. */
    @Test
    void takesBundlesWithTheMetadataOfTheirPublisherAlone() throws Exception {
        repo.push(Bundles.good("old", 0x5507, "1.0.0"));
        published();
        refused(ErrorCode.NOT_DELEGATED, () -> repo.push(TWO));
        refused(ErrorCode.NOT_DELEGATED, () -> repo.http.delete("/services/meter/1.0.0"));
        byte[] foreign = Bundles.good("other", 0x5502, "1.0.0");
        refused(ErrorCode.NOT_DELEGATED, () -> ceremony.push("grid", "other", 0x5502, "1.0.0", foreign));
        refused(ErrorCode.NOT_DELEGATED, () -> ceremony.put("nobody", TWO, ceremony.next("grid", draft -> Ceremony.list(draft, "meter", 0x5501, "2.0.0", TWO))));
        RoleSigner thief = Signers.p256();
        byte[] stolen = Draft.read(ceremony.next("grid", draft -> Ceremony.list(draft, "meter", 0x5501, "2.0.0", TWO))).version(2).sign(thief).octets();
        refused(ErrorCode.METADATA_UNSIGNED, () -> ceremony.put("grid", TWO, stolen));
        // Not what the metadata lists: another content, version, Type ID, or nothing at all.
        refused(ErrorCode.NOT_A_TARGET, () -> ceremony.put("grid", TWO, ceremony.next("grid", draft -> Ceremony.list(draft, "meter", 0x5501, "2.0.0", ONE))));
        refused(ErrorCode.NOT_A_TARGET, () -> ceremony.put("grid", TWO, ceremony.next("grid", draft -> Ceremony.list(draft, "meter", 0x5501, "2.0.1", TWO))));
        refused(ErrorCode.NOT_A_TARGET, () -> ceremony.put("grid", TWO, ceremony.next("grid", draft -> Ceremony.list(draft, "meter", 0x5502, "2.0.0", TWO))));
        refused(ErrorCode.NOT_A_TARGET, () -> ceremony.put("grid", new byte[0], ceremony.next("grid", draft -> Ceremony.list(draft, "meter", 0x5501, "2.0.0", TWO))));
        refused(ErrorCode.NOT_A_TARGET, () -> ceremony.put("grid", TWO, ceremony.next("grid", draft -> { })));
        refused(ErrorCode.VERSION_EXISTS, () -> ceremony.put("grid", TWO, ceremony.next("grid", draft -> Ceremony.list(draft, "meter", 0x5501, "1.0.0", TWO))));
        refused(ErrorCode.METADATA_EXPIRED, () -> ceremony.put("grid", TWO, ceremony.next("grid", draft -> {
            Ceremony.list(draft, "meter", 0x5501, "2.0.0", TWO);
            draft.expires(Instant.now().minusSeconds(1));
        })));
        refused(ErrorCode.METADATA_TAKEN, () -> ceremony.put("grid", TWO, ceremony.next("grid", draft -> {
            Ceremony.list(draft, "meter", 0x5501, "2.0.0", TWO);
            draft.version(1);
        })));
        refused(ErrorCode.BAD_METADATA, () -> ceremony.put("grid", TWO, "{}".getBytes(StandardCharsets.UTF_8)));
        refused(ErrorCode.NOT_A_BUNDLE, () -> ceremony.push("grid", "meter", 0x5501, "2.0.0", "nonsense".getBytes(StandardCharsets.UTF_8)));
        refused(ErrorCode.BAD_REQUEST, () -> repo.http.send("PUT", "/tuf/roles/grid", "application/octet-stream", TWO, 0));
        refused(ErrorCode.BAD_REQUEST, () -> repo.http.send("PUT", "/tuf/roles/grid?metadata=9999999", "application/octet-stream", new byte[9], 0));
        assertThat(repo.services()).hasSize(2);
        assertThat(version("timestamp.json")).isEqualTo(3);
        // What was there before is a target when its publisher says so.
        ceremony.delegate("elder", "old");
        byte[] old = Bundles.good("old", 0x5507, "1.0.0");
        ceremony.put("elder", new byte[0], ceremony.next("elder", draft -> Ceremony.list(draft, "old", 0x5507, "1.0.0", old)));
        assertThat(repo.http.bytes("/tuf/targets/old/" + Hashes.sha256(old) + ".1.0.0.jar", 1 << 20)).isEqualTo(old);
    }

    @Test
    void retiresWhatIsNoTargetAnyMore() throws Exception {
        published();
        ceremony.push("grid", "meter", 0x5501, "2.0.0", TWO);
        ceremony.put("grid", new byte[0], ceremony.next("grid", draft -> draft.removeTarget(PATH)));
        assertThat(repo.http.json("/services/meter/1.0.0").path("retired").asBoolean()).isTrue();
        assertThat(repo.http.json("/services/meter/2.0.0").path("retired").asBoolean()).isFalse();
    }

    /** Two programs of one publisher at once: one wins, the other is told to look again. */
    @Test
    void hasOneWinnerOfTwoAtOnce() throws Exception {
        published();
        List<byte[]> both = List.of(ceremony.next("grid", draft -> Ceremony.list(draft, "meter", 0x5501, "2.0.0", TWO)),
                ceremony.next("grid", draft -> Ceremony.list(draft, "gauge", 0x5502, "1.0.0", Bundles.good("gauge", 0x5502, "1.0.0"))));
        List<byte[]> bundles = List.of(TWO, Bundles.good("gauge", 0x5502, "1.0.0"));
        List<String> outcomes = Stream.of(0, 1).parallel().map(i -> {
            try {
                ceremony.put("grid", bundles.get(i), both.get(i));
                return "taken";
            } catch (AnepException | IOException e) {
                return e.getMessage().substring(0, 6);
            }
        }).sorted().toList();
        assertThat(outcomes).containsExactly("EE-427", "taken");
        assertThat(repo.services()).hasSize(2);
        assertThat(version("snapshot")).isEqualTo(4);
    }

    @Test
    void takesRootsThatItCanSignFor() throws Exception {
        refused(ErrorCode.NO_METADATA, () -> ceremony.put("targets", new byte[0], "{}".getBytes(StandardCharsets.UTF_8)));
        ceremony.begin();
        RoleSigner foreign = Signers.ed25519();
        refused(ErrorCode.METADATA_TAKEN, () -> new Ceremony(repo.http).begin());
        refused(ErrorCode.METADATA_TAKEN, () -> repo.http.put("/tuf/root", ceremony.firstRoot(), 0));
        assertThat(repo.http.json("/health").path("tuf").path("root").asInt()).isEqualTo(1);
        Ceremony stranger = new Ceremony(repo.http);
        byte[] first = ceremony.firstRoot();
        refused(ErrorCode.METADATA_UNSIGNED, () -> repo.http.put("/tuf/root", Draft.read(first).version(2).sign(stranger.owner).octets(), 0));
        RootDraft draft = RootDraft.of(first);
        draft.addKey(RoleName.TIMESTAMP, foreign.key());
        draft.threshold(RoleName.TIMESTAMP, 2);
        draft.next().sign(ceremony.owner);
        refused(ErrorCode.METADATA_UNSIGNED, () -> repo.http.put("/tuf/root", draft.octets(), 0));
        draft.threshold(RoleName.TIMESTAMP, 1);
        draft.sign(ceremony.owner);
        repo.http.put("/tuf/root", draft.octets(), 0);
        assertThat(repo.http.json("/health").path("tuf").path("root").asInt()).isEqualTo(2);
    }

    @Test
    void keepsItsKeysToItself() throws Exception {
        published();
        try (Stream<Path> files = Files.list(directory.resolve("data/tuf/keys"))) {
            assertThat(files.toList()).hasSize(2).allSatisfy(file -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------"));
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("data/tuf/keys")))).isEqualTo("rwx------");
        for (int i = 0; i < 50; i++) {
            ceremony.newKeys();
        }
        try (Stream<Path> files = Files.list(directory.resolve("data/tuf/keys"))) {
            assertThat(files.count()).isLessThanOrEqualTo(64);
        }
        ceremony.push("grid", "meter", 0x5501, "2.0.0", TWO);
    }

    /** By itself, well before it expires, and after a restart that comes too late. */
    @Test
    @Tag("long")
    void signsItsTimestampAgain() throws Exception {
        repo.close();
        repo = new Repo(Repo.settings(directory.resolve("data")).withTimestampLife(Duration.ofSeconds(10)));
        ceremony = new Ceremony(repo.http);
        published();
        long before = version("timestamp.json");
        await().atMost(Duration.ofSeconds(6)).until(() -> version("timestamp.json") > before + 1);
        Instant expires = Metadata.timestamp(repo.http.bytes("/tuf/timestamp.json", 1 << 20)).signed().expires();
        assertThat(expires).isAfter(Instant.now().plusSeconds(5));
        assertThat(version("snapshot")).isEqualTo(3);
        repo.close();
        repo = new Repo(Repo.settings(directory.resolve("data")).withTimestampLife(Duration.ofHours(1)));
        assertThat(Metadata.timestamp(repo.http.bytes("/tuf/timestamp.json", 1 << 20)).signed().expires()).isAfter(Instant.now().plusSeconds(3_000));
    }

    @Test
    void isRefusedIfItsMetadataIsDamaged() throws Exception {
        published();
        repo.close();
        Path metadata = directory.resolve("data/tuf/metadata");
        for (String name : List.of("timestamp.json", "1.grid.json", "3.snapshot.json", "1.root.json")) {
            Path file = metadata.resolve(name);
            byte[] good = Files.readAllBytes(file);
            Files.delete(file);
            refused(ErrorCode.METADATA_DAMAGED, () -> new Repo(Repo.settings(directory.resolve("data"))));
            Files.writeString(file, "{}");
            refused(ErrorCode.METADATA_DAMAGED, () -> new Repo(Repo.settings(directory.resolve("data"))));
            Files.write(file, good);
        }
        Path key = Files.list(directory.resolve("data/tuf/keys")).findFirst().orElseThrow();
        byte[] good = Files.readAllBytes(key);
        Files.writeString(key, "nonsense");
        refused(ErrorCode.METADATA_DAMAGED, () -> new Repo(Repo.settings(directory.resolve("data"))));
        Files.write(key, good);
        repo = new Repo(Repo.settings(directory.resolve("data")));
        assertThat(repo.http.bytes("/tuf/targets/meter/" + Hashes.sha256(ONE) + ".1.0.0.jar", 1 << 20)).isEqualTo(ONE);
    }

    @Test
    @Tag("long")
    void isMirroredAsItIs() throws Exception {
        published();
        byte[] revoked = "serial 1\n".getBytes(StandardCharsets.UTF_8);
        ceremony.targets(draft -> draft.target("revoked.txt", revoked.length, Hashes.sha256(revoked), Map.of()), revoked);
        ceremony.root(draft -> draft.expires(Instant.now().plus(Duration.ofDays(9))));
        MirrorSettings upstream = MirrorSettings.of(repo.server.url(), 1 << 20).withEvery(Duration.ofSeconds(1));
        byte[] last;
        try (Repo mirror = new Repo(Repo.settings(directory.resolve("mirror")), upstream); Oracle oracle = new Oracle(directory)) {
            await().ignoreExceptions().untilAsserted(() -> assertThat(mirror.http.bytes("/tuf/timestamp.json", 1 << 20)).isEqualTo(repo.http.bytes("/tuf/timestamp.json", 1 << 20)));
            ceremony.push("grid", "meter", 0x5501, "2.0.0", TWO);
            await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
                JsonNode found = oracle.download("a", ceremony.firstRoot(), mirror.server.url(), List.of(PATH, "meter/2.0.0.jar", "revoked.txt")).path("found");
                assertThat(found.path(PATH).asText()).isEqualTo(Hashes.sha256(ONE));
                assertThat(found.path("meter/2.0.0.jar").asText()).isEqualTo(Hashes.sha256(TWO));
                assertThat(found.path("revoked.txt").asText()).isEqualTo(Hashes.sha256(revoked));
            });
            refused(ErrorCode.IS_MIRROR, () -> mirror.http.post("/tuf/keys", Map.of()));
            refused(ErrorCode.IS_MIRROR, () -> mirror.http.put("/tuf/root", new byte[9], 0));
            assertThat(mirror.http.json("/health").path("mirror").path("metadataProblem").isNull()).isTrue();
            last = mirror.http.bytes("/tuf/timestamp.json", 1 << 20);
        }
        // What is there stays there when the upstream is gone, over a restart too.
        repo.close();
        try (Repo again = new Repo(Repo.settings(directory.resolve("mirror")), upstream)) {
            assertThat(again.http.bytes("/tuf/timestamp.json", 1 << 20)).isEqualTo(last);
            assertThat(again.http.bytes("/tuf/targets/" + ServiceTarget.file("revoked.txt", Hashes.sha256(revoked)), 1 << 20)).isEqualTo(revoked);
        }
        takesOver(last);
    }

    /** The upstream is lost for good: its keys are too, and nothing is signed without keys until a root names others. */
    private void takesOver(byte[] last) throws Exception {
        try (Repo heir = new Repo(Repo.settings(directory.resolve("mirror")).withTimestampLife(Duration.ofSeconds(10))); Oracle oracle = new Oracle(directory)) {
            ceremony.at(heir.http);
            refused(ErrorCode.METADATA_UNSIGNED, () -> ceremony.push("grid", "meter", 0x5501, "3.0.0", Bundles.good("meter", 0x5501, "3.0.0")));
            await().untilAsserted(() -> assertThat(heir.http.json("/health").path("tuf").path("problem").asText()).contains("EE-421"));
            assertThat(heir.http.bytes("/tuf/timestamp.json", 1 << 20)).isEqualTo(last);
            replaceOnlineKeys();
            ceremony.push("grid", "meter", 0x5501, "3.0.0", Bundles.good("meter", 0x5501, "3.0.0"));
            assertThat(oracle.download("a", ceremony.firstRoot(), heir.server.url(), List.of("meter/3.0.0.jar")).path("found").has("meter/3.0.0.jar")).isTrue();
            assertThat(heir.http.json("/health").path("status").asText()).isEqualTo("up");
        }
    }
}
