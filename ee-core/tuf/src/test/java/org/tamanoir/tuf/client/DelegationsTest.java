package org.tamanoir.tuf.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tamanoir.tuf.format.Hashes;
import org.tamanoir.tuf.format.RoleName;
import org.tamanoir.tuf.format.TargetFile;
import org.tamanoir.tuf.sign.RoleSigner;
import org.tamanoir.tuf.sign.TargetsDraft;
import org.tamanoir.tuf.testing.Signers;
import org.tamanoir.tuf.testing.TestClient;
import org.tamanoir.tuf.testing.TestRepository;

/** Who may say what about which target: section 5.6.7 of the specification. */
class DelegationsTest {
    private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

    private final TestRepository repository = new TestRepository(NOW);
    private final RoleSigner one = Signers.ed25519();
    private final RoleSigner two = Signers.ed25519();

    private Catalogue catalogue() {
        return new TestClient(repository.firstRoot()).update(repository.files(), NOW);
    }

    private static String hash(String content) {
        return Hashes.sha256(content.getBytes(StandardCharsets.UTF_8));
    }

    private String found(String path) {
        return catalogue().find(path, NOW).map(file -> file.hashes().sha256()).orElse(null);
    }

    @Test
    void aRoleHasASayInItsPathsAlone() {
        repository.delegate(RoleName.TARGETS, "one", one, "one/*");
        repository.delegate(RoleName.TARGETS, "two", two, "two/*");
        repository.target("one", "one/1.jar", "a");
        repository.target("one", "two/1.jar", "b");
        repository.target("two", "two/2.jar", "c");
        assertThat(found("one/1.jar")).isEqualTo(hash("a"));
        assertThat(found("two/1.jar")).isNull();
        assertThat(found("two/2.jar")).isEqualTo(hash("c"));
        assertThat(catalogue().all(NOW)).containsOnlyKeys("one/1.jar", "two/2.jar");
    }

    @Test
    void theFirstOneThatListsATargetIsBelieved() {
        repository.delegate(RoleName.TARGETS, "one", one, "both/*");
        repository.delegate(RoleName.TARGETS, "two", two, "both/*", "two/*");
        repository.target("two", "both/1.jar", "second");
        repository.target("one", "both/1.jar", "first");
        assertThat(found("both/1.jar")).isEqualTo(hash("first"));
        repository.target(RoleName.TARGETS, "both/1.jar", "top");
        assertThat(found("both/1.jar")).isEqualTo(hash("top"));
    }

    /** GHSA-4f8r-qqr9-fq8j: go-tuf went on past a terminating delegation. */
    @Test
    void aTerminatingDelegationEndsTheSearchEvenOfThoseAbove() {
        // Every delegation that we make is a terminating one.
        repository.delegate(RoleName.TARGETS, "one", one, "both/*");
        repository.delegate(RoleName.TARGETS, "two", two, "both/*");
        repository.target("one", "both/2.jar", "first");
        repository.target("two", "both/1.jar", "second");
        assertThat(found("both/1.jar")).isNull();
        assertThat(catalogue().all(NOW)).containsOnlyKeys("both/2.jar");
    }

    /** Metadata of a role in which no delegation is a terminating one. */
    private void open(String role) {
        String name = repository.files().keySet().stream().filter(each -> each.endsWith("." + role + ".json")).max(Comparator.comparingInt(String::length).thenComparing(each -> each)).orElseThrow();
        String text = new String(repository.files().get(name), StandardCharsets.UTF_8).replace("\"terminating\" : true", "\"terminating\" : false");
        TargetsDraft draft = TargetsDraft.of(text.getBytes(StandardCharsets.UTF_8));
        repository.put(role, draft.next());
        repository.snapshot();
    }

    @Test
    void theOthersAreAskedWhereNoDelegationTerminates() {
        RoleSigner three = Signers.p256();
        repository.delegate(RoleName.TARGETS, "one", one, "both/*");
        repository.delegate(RoleName.TARGETS, "two", two, "both/*");
        repository.delegate("one", "three", three, "both/9.jar");
        repository.target("one", "both/3.jar", "first");
        repository.target("three", "both/8.jar", "not its own");
        repository.target("two", "both/1.jar", "second");
        repository.target("two", "both/3.jar", "second");
        repository.target("two", "both/8.jar", "second");
        repository.target("two", "both/9.jar", "second");
        open(RoleName.TARGETS);
        assertThat(found("both/1.jar")).isEqualTo(hash("second"));
        assertThat(found("both/3.jar")).isEqualTo(hash("first"));
        assertThat(found("both/8.jar")).isEqualTo(hash("second"));
        // One's own delegation to three terminates, and the way back up with it.
        assertThat(found("both/9.jar")).isNull();
        assertThat(catalogue().all(NOW)).containsOnlyKeys("both/1.jar", "both/3.jar", "both/8.jar");
    }

    @Test
    void noMoreThanThirtyTwoRolesAreAskedForOneTarget() {
        for (int i = 0; i <= Catalogue.MOST_VISITED; i++) {
            repository.delegate(RoleName.TARGETS, "role" + i, one, "all/*");
            repository.target("role" + i, "all/" + i + ".jar", "x");
        }
        open(RoleName.TARGETS);
        // The targets role is the first of them.
        assertThat(found("all/" + (Catalogue.MOST_VISITED - 2) + ".jar")).isEqualTo(hash("x"));
        assertThat(found("all/" + (Catalogue.MOST_VISITED - 1) + ".jar")).isNull();
    }

    @Test
    void aRoleThatHasPublishedNothingKeepsItsTargetsFromOthers() {
        repository.delegate(RoleName.TARGETS, "one", one, "both/*");
        repository.delegate(RoleName.TARGETS, "two", two, "both/*");
        repository.target("two", "both/1.jar", "second");
        assertThatThrownBy(() -> found("both/1.jar")).hasMessageStartingWith("EE-429").hasMessageContaining("one");
        assertThat(found("neither/1.jar")).isNull();
    }

    @Test
    void roundInACircle() {
        repository.delegate(RoleName.TARGETS, "one", one, "a/*");
        repository.change("one", draft -> draft.delegate("two", two.key(), List.of("a/*")));
        repository.delegate(RoleName.TARGETS, "two", two, "b/*");
        repository.change("two", draft -> draft.delegate("one", one.key(), List.of("a/*", "b/*")));
        repository.target("one", "a/1.jar", "a");
        assertThat(found("a/1.jar")).isEqualTo(hash("a"));
        assertThat(found("a/2.jar")).isNull();
        assertThat(found("b/2.jar")).isNull();
    }

    @Test
    void noFurtherAwayThanEightDelegationsAndNotThroughMoreThanThirtyTwoRoles() {
        String by = RoleName.TARGETS;
        for (int i = 1; i <= Update.DEEPEST + 1; i++) {
            RoleSigner signer = Signers.ed25519();
            repository.delegate(by, "role" + i, signer, "deep/*");
            by = "role" + i;
            repository.target(by, "deep/" + i + ".jar", "x");
        }
        assertThat(found("deep/" + Update.DEEPEST + ".jar")).isEqualTo(hash("x"));
        assertThatThrownBy(() -> found("deep/" + (Update.DEEPEST + 1) + ".jar")).hasMessageStartingWith("EE-420").hasMessageContaining("8 delegations away");
        TestRepository wide = new TestRepository(NOW);
        for (int i = 0; i < Catalogue.MOST_VISITED + 5; i++) {
            wide.delegate(RoleName.TARGETS, "wide" + i, one, "wide/" + i + ".jar", "other/*");
            wide.target("wide" + i, "wide/" + i + ".jar", "x");
        }
        Map<String, TargetFile> all = new TestClient(wide.firstRoot()).update(wide.files(), NOW).all(NOW);
        assertThat(all).hasSize(Catalogue.MOST_VISITED + 5);
    }

    /** A delegation that takes a key away: what the old key has signed is not believed from the same moment on. */
    @Test
    void aKeyThatIsTakenAwayHasSignedNothing() {
        repository.delegate(RoleName.TARGETS, "one", one, "one/*");
        repository.target("one", "one/1.jar", "a");
        TestClient client = new TestClient(repository.firstRoot());
        client.update(repository.files(), NOW);
        repository.change(RoleName.TARGETS, draft -> {
            draft.addKey("one", two.key());
            draft.removeKey("one", one.key().id());
        });
        Catalogue catalogue = client.update(repository.files(), NOW);
        assertThatThrownBy(() -> catalogue.find("one/1.jar", NOW)).hasMessageStartingWith("EE-421");
        repository.signers("one").set(0, two);
        repository.target("one", "one/2.jar", "b");
        assertThat(client.update(repository.files(), NOW).all(NOW)).containsOnlyKeys("one/1.jar", "one/2.jar");
    }

    @Test
    void thresholdsOfDelegatedRoles() {
        repository.delegate(RoleName.TARGETS, "one", one, "one/*");
        repository.change(RoleName.TARGETS, draft -> {
            draft.addKey("one", two.key());
            draft.threshold("one", 2);
        });
        repository.target("one", "one/1.jar", "a");
        assertThatThrownBy(() -> found("one/1.jar")).hasMessageStartingWith("EE-421").hasMessageContaining("signed by 1");
        repository.signers("one").add(two);
        repository.target("one", "one/1.jar", "a");
        assertThat(found("one/1.jar")).isEqualTo(hash("a"));
    }

    @Test
    void aDelegationThatIsTakenBackTakesItsTargetsAway() {
        repository.delegate(RoleName.TARGETS, "one", one, "one/*");
        repository.target("one", "one/1.jar", "a");
        TestClient client = new TestClient(repository.firstRoot());
        client.update(repository.files(), NOW);
        repository.change(RoleName.TARGETS, draft -> draft.removeDelegation("one"));
        assertThat(client.update(repository.files(), NOW).find("one/1.jar", NOW)).isEmpty();
        assertThat(client.catalogue().all(NOW)).isEmpty();
    }

    @Test
    void pathsByTheBeginningOfTheirHash() {
        repository.delegate(RoleName.TARGETS, "one", one);
        byte[] octets = repository.files().get("2.targets.json");
        String prefix = hash("some/1.jar").substring(0, 2);
        String text = new String(octets, StandardCharsets.UTF_8).replaceFirst("\"paths\" : \\[[^]]*]", "\"path_hash_prefixes\" : [ \"" + prefix + "\" ]");
        assertThat(text).contains(prefix);
        repository.change(RoleName.TARGETS, draft -> { });
        TargetsDraft draft = TargetsDraft.of(text.getBytes(StandardCharsets.UTF_8));
        draft.version(4);
        repository.put(RoleName.TARGETS, draft);
        repository.target("one", "some/1.jar", "a");
        assertThat(found("some/1.jar")).isEqualTo(hash("a"));
        assertThat(found("other/9.jar")).isNull();
    }
}
