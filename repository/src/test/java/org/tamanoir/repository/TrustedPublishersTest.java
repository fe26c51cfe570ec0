package org.tamanoir.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.trust.Trust;

/** A repository takes what its publishers signed, says whose it is, and takes it back when it is revoked. */
@ParameterizedClass
@EnumSource(Backend.class)
class TrustedPublishersTest {
    @TempDir
    private static Path keys;
    private static Signer alice;
    private static Signer aliceNextYear;
    private static Signer bob;

    @Parameter
    private Backend backend;
    @TempDir
    private Path directory;
    private Path publishers;
    private Path revoked;

    @BeforeAll
    static void makeKeys() throws Exception {
        alice = new Signer(keys, "alice", "CN=Alice,O=Example");
        aliceNextYear = new Signer(keys, "next", "CN=Alice,O=Example");
        bob = new Signer(keys, "bob", "CN=Bob,O=Example");
    }

    @BeforeEach
    void trustAliceAndBob() throws IOException {
        publishers = Files.writeString(directory.resolve("publishers.pem"), alice.certificate() + aliceNextYear.certificate()
                + bob.certificate());
        revoked = Files.createFile(directory.resolve("revoked"));
    }

    private Repo repo() {
        return new Repo(backend.settings(directory.resolve("data")).withTrust(Trust.of(publishers, revoked)));
    }

    private static void assertRefused(Repo repo, byte[] bundle, ErrorCode code, String message) {
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> repo.push(bundle)).withMessageContaining(message)
                .satisfies(e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
    }

    @Test
    @Tag("long")
    void showsWhoSignedAVersion() throws Exception {
        try (Repo repo = repo()) {
            JsonNode pushed = repo.push(alice.sign(Bundles.good("meter", 0x5501, "1.0.0")));
            assertThat(pushed.path("publisher").asText()).isEqualTo("CN=Alice,O=Example");
            assertThat(repo.services().get(0).path("key").asText()).isEqualTo(alice.publisher().key());
            assertThat(repo.services().get(0).path("revoked").asBoolean(true)).isFalse();
            assertThat(repo.http.json("/health").path("trust").path("mode").asText()).isEqualTo("publishers");
        }
        try (Repo again = repo()) {
            assertThat(again.services().get(0).path("publisher").asText()).isEqualTo(alice.publisher().name());
        }
    }

    private byte[] withOneMore(byte[] signed) throws IOException {
        Path jar = Files.write(directory.resolve("more.jar"), signed);
        try (FileSystem zip = FileSystems.newFileSystem(jar)) {
            Files.writeString(zip.getPath("more.txt"), "put in by a stranger");
        }
        return Files.readAllBytes(jar);
    }

    @Test
    @Tag("long")
    void refusesWhatNobodyTrustedSignedAndKeepsNothingOfIt() throws Exception {
        byte[] good = Bundles.good("meter", 0x5501, "1.0.0");
        Files.writeString(publishers, alice.certificate());
        try (Repo repo = repo()) {
            assertRefused(repo, good, ErrorCode.UNSIGNED, "service sign");
            assertRefused(repo, bob.sign(good), ErrorCode.UNKNOWN_PUBLISHER, bob.publisher().key());
            assertRefused(repo, withOneMore(alice.sign(good)), ErrorCode.TAMPERED, "more.txt");
            Files.writeString(revoked, "key " + alice.publisher().key());
            assertRefused(repo, alice.sign(good), ErrorCode.REVOKED, "CN=Alice");
            assertThat(repo.services()).isEmpty();
            assertThat(backend.bundles(directory.resolve("data"))).isEmpty();
            assertThat(directory.resolve("data/incoming")).isEmptyDirectory();
            // Trusted from now on, without a restart.
            Files.writeString(publishers, alice.certificate() + bob.certificate());
            assertThat(repo.push(bob.sign(good)).path("publisher").asText()).isEqualTo(bob.publisher().name());
        }
    }

    @Test
    @Tag("long")
    void aNameBelongsToThePublisherWhoHadItFirst() throws Exception {
        try (Repo repo = repo()) {
            repo.push(alice.sign(Bundles.good("meter", 0x5501, "1.0.0")));
            assertRefused(repo, bob.sign(Bundles.good("meter", 0x5501, "1.1.0")), ErrorCode.TYPE_ID_TAKEN, "belong to the publisher "
                    + alice.publisher().name());
            assertRefused(repo, bob.sign(Bundles.good("other", 0x5501, "1.0.0")), ErrorCode.TYPE_ID_TAKEN, "belongs to the service meter");
            repo.http.delete("/services/meter/1.0.0");
            assertRefused(repo, bob.sign(Bundles.good("meter", 0x5501, "1.2.0")), ErrorCode.TYPE_ID_TAKEN, "belong to the publisher");
            // The same publisher with a new key.
            JsonNode next = repo.push(aliceNextYear.sign(Bundles.good("meter", 0x5501, "2.0.0")));
            assertThat(next.path("key").asText()).isEqualTo(aliceNextYear.publisher().key()).isNotEqualTo(alice.publisher().key());
        }
    }

    @Test
    @Tag("long")
    void whatIsRevokedIsNotOfferedFromThatMomentOn() throws Exception {
        try (Repo repo = repo()) {
            JsonNode first = repo.push(alice.sign(Bundles.good("meter", 0x5501, "1.0.0")));
            JsonNode second = repo.push(aliceNextYear.sign(Bundles.good("meter", 0x5501, "2.0.0")));
            repo.push(bob.sign(Bundles.good("other", 0x5502, "1.0.0")));
            assertThat(repo.index()).hasSize(3);

            Files.writeString(revoked, "key " + alice.publisher().key() + "\nbundle " + second.path("sha256").asText());
            assertThat(repo.index().keySet()).hasSize(1).noneMatch(url -> url.contains(first.path("sha256").asText()));
            for (JsonNode gone : new JsonNode[] {first, second}) {
                assertThatExceptionOfType(AnepException.class)
                        .isThrownBy(() -> repo.http.bytes("/bundles/" + gone.path("sha256").asText() + ".jar", 1 << 20))
                        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.REVOKED));
            }
            assertThat(repo.services()).extracting(e -> e.path("revoked").asBoolean()).containsExactly(true, true, false);
            assertThat(repo.http.json("/health").path("revoked")).hasSize(2);

            // A list that means nothing changes nothing, and is seen.
            Files.writeString(revoked, "everything");
            assertThat(repo.index()).hasSize(1);
            assertThat(repo.http.json("/health").path("status").asText()).isEqualTo("degraded");
            assertThat(repo.http.json("/health").path("trust").path("problem").asText()).contains("line 1");

            Files.writeString(revoked, "# emptied\n");
            assertThat(repo.index()).as("what was revoked stays that").hasSize(1);
            Files.writeString(revoked, "restored key " + alice.publisher().key() + "\nrestored bundle " + second.path("sha256").asText());
            assertThat(repo.index()).hasSize(3);
            assertThat(repo.http.json("/health").path("status").asText()).isEqualTo("up");
        }
        Files.writeString(revoked, "key " + bob.publisher().key());
        try (Repo later = repo()) {
            assertThat(later.index()).hasSize(2);
        }
    }

    @Test
    @Tag("long")
    void aCatalogueFromBeforeThereWerePublishersIsReadAndItsBundlesGetThem() throws Exception {
        byte[] signed = alice.sign(Bundles.good("meter", 0x5501, "1.0.0"));
        try (Repo repo = repo()) {
            repo.push(signed);
        }
        backend.forgetPublishers(directory.resolve("data"));
        try (Repo repo = repo()) {
            assertThat(repo.services().get(0).path("publisher").isNull()).isTrue();
            assertThat(repo.index()).hasSize(1);
            repo.push(signed);
            assertThat(repo.services()).hasSize(1).first().extracting(e -> e.path("publisher").asText()).isEqualTo(alice.publisher().name());
            assertRefused(repo, bob.sign(Bundles.good("meter", 0x5501, "1.1.0")), ErrorCode.TYPE_ID_TAKEN, "CN=Alice");
        }
        if (backend != Backend.POSTGRESQL) {
            Path catalogue = directory.resolve("data/catalogue.json");
            Files.writeString(catalogue, Files.readString(catalogue).replaceAll("\"sha256\"[^,]*,", ""));
            assertThatExceptionOfType(AnepException.class).isThrownBy(this::repo).withMessageContaining("EE-503");
        }
    }

    @Test
    @Tag("long")
    void inDevelopmentTheUnsignedBelongsToNobodyAndTheSignedToItsPublisher() throws Exception {
        try (Repo repo = new Repo(backend.settings(directory.resolve("data")))) {
            repo.push(Bundles.good("meter", 0x5501, "1.0.0"));
            repo.push(Bundles.good("meter", 0x5501, "1.1.0"));
            repo.push(bob.sign(Bundles.good("meter", 0x5501, "1.2.0")));
            assertRefused(repo, Bundles.good("meter", 0x5501, "1.3.0"), ErrorCode.TYPE_ID_TAKEN, "not signed");
            assertThat(repo.http.json("/health").path("trust").path("mode").asText()).isEqualTo("development");
        }
    }
}
