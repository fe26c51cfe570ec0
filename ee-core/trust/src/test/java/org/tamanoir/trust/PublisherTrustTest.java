package org.tamanoir.trust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Locale;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.trust.jar.SignedJar;
import org.tamanoir.trust.sign.BundleSigner;

/** Whose bundles are taken, of those that are what was signed. */
@Tag("long")
class PublisherTrustTest {
    @TempDir
    private Path directory;

    private Publisher check(Path jar, Path revoked, String... trusted) {
        return Trust.of(Jars.trustFile(directory, trusted), revoked).check(jar, Jars.sha256(jar));
    }

    private void assertRefused(Path jar, Path revoked, ErrorCode code, String message, String... trusted) {
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> check(jar, revoked, trusted)).withMessageContaining(message)
                .satisfies(e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
    }

    @ParameterizedTest
    @ValueSource(strings = {"alice", "bob", "carol"})
    void takesWhatAListedPublisherSignedWithAnyKindOfKey(String name) {
        Publisher publisher = check(Jars.signed(directory, name), null, "alice", "bob", "carol");
        assertThat(publisher.name()).isEqualTo("CN=" + name + ",O=Example");
        assertThat(publisher).isEqualTo(Keys.key(name).publisher());
    }

    @Test
    void takesWhatSomebodySignedWhomAListedAuthorityCertified() {
        Keys.certified("dave", "authority");
        Path jar = Jars.signed(directory, "dave");
        assertThat(check(jar, null, "alice", "authority").name()).isEqualTo("CN=dave,O=Example");
        assertRefused(jar, null, ErrorCode.UNKNOWN_PUBLISHER, Keys.key("dave").publisher().key(), "alice", "other-authority");
    }

    @Test
    void takesNoPublisherForAnAuthority() {
        // Bob's certificate says nothing of being an authority, yet he certifies Mallory.
        Keys.certified("mallory", "bob");
        assertRefused(Jars.signed(directory, "mallory"), null, ErrorCode.UNKNOWN_PUBLISHER, "CN=mallory", "bob");
    }

    @Test
    void refusesWhatIsNotSignedAndWhatAStrangerSigned() {
        assertRefused(Jars.unsigned(directory), null, ErrorCode.UNSIGNED, "service sign", "alice");
        assertRefused(Jars.signed(directory, "bob"), null, ErrorCode.UNKNOWN_PUBLISHER, Keys.key("bob").publisher().toString().split(",")[0],
                "alice");
    }

    @ParameterizedTest
    @CsvSource({"expired, 2020-12-31", "future, 2090-01-01"})
    void refusesACertificateThatIsNotValidNow(String name, String date) {
        Path jar = Jars.unsigned(directory);
        Keys.jarsigner(jar, name);
        assertRefused(jar, null, ErrorCode.CERTIFICATE_EXPIRED, date, name);
    }

    @Test
    void refusesWhomAnAuthorityCertifiedThatIsNoLongerValid() {
        // Her own certificate is valid.
        Keys.certified("erin", "past-authority");
        Path jar = Jars.unsigned(directory);
        Keys.jarsigner(jar, "erin");
        assertRefused(jar, null, ErrorCode.CERTIFICATE_EXPIRED, "CN=past-authority",
                "past-authority");
    }

    @ParameterizedTest
    @CsvSource({"small, 1024 bits", "old, SHA1withRSA", "dsa, DSA"})
    void refusesKeysAndSignaturesThatCanBeForged(String name, String weakness) {
        Path jar = Jars.unsigned(directory);
        Keys.jarsigner(jar, name);
        assertRefused(jar, null, ErrorCode.TAMPERED, weakness, name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"digest=SHA-1", "digest=MD5", "signature=SHA1withRSA", "signature=MD5withRSA"})
    void refusesDigestsThatCanBeForged(String option) {
        Path jar = Jars.unsigned(directory);
        Keys.jarsigner(jar, "carol", option);
        assertRefused(jar, null, ErrorCode.TAMPERED, "", "carol");
    }

    @ParameterizedTest
    @CsvSource({"server, UNKNOWN_PUBLISHER, codeSigning", "encipher, TAMPERED, a certificate that may sign"})
    void refusesACertificateThatIsForSomethingElse(String name, ErrorCode code, String missing) {
        Path jar = Jars.unsigned(directory);
        Keys.jarsigner(jar, name);
        assertRefused(jar, null, code, missing, name);
    }

    /** Of an authority too, which may not sign bundles itself. */
    private static String key(String name) throws Exception {
        KeyStore store = KeyStore.getInstance(Keys.store(name).toFile(), Keys.password());
        return Publisher.of((X509Certificate) store.getCertificate(name)).key();
    }

    @Test
    void refusesWhatIsRevokedByKeyByAuthorityByFileAndByContent() throws Exception {
        Keys.certified("dave", "authority");
        Path jar = Jars.signed(directory, "dave");
        Path revoked = directory.resolve("revoked");
        String content = SignedJar.read(jar).content();
        Files.writeString(revoked, "# nothing yet\n\nkey " + "0".repeat(64) + " # nobody\n");
        assertThat(check(jar, revoked, "authority").name()).contains("dave");

        Files.writeString(revoked, "key " + Keys.key("dave").publisher().key());
        assertRefused(jar, revoked, ErrorCode.REVOKED, "CN=dave", "authority");
        Files.writeString(revoked, "key " + key("authority").toUpperCase(Locale.ROOT));
        assertRefused(jar, revoked, ErrorCode.REVOKED, "CN=authority", "authority");
        Files.writeString(revoked, "bundle " + Jars.sha256(jar));
        assertRefused(jar, revoked, ErrorCode.REVOKED, Jars.sha256(jar), "authority");

        // The same entries in another file: the signature still holds, and so must the revocation.
        Path again = Jars.write(directory.resolve("again.jar"), Jars.read(jar), Deflater.NO_COMPRESSION);
        assertThat(Jars.sha256(again)).isNotEqualTo(Jars.sha256(jar));
        assertThat(check(again, revoked, "authority").name()).contains("dave");
        Files.writeString(revoked, "content " + content);
        assertRefused(jar, revoked, ErrorCode.REVOKED, content, "authority");
        assertRefused(again, revoked, ErrorCode.REVOKED, content, "authority");
    }

    @Test
    void takesOneOfTwoSignersWhoBothSignedAllOfIt() {
        Path jar = Jars.unsigned(directory);
        Keys.jarsigner(jar, "alice");
        Keys.jarsigner(jar, "bob");
        assertThat(check(jar, null, "bob").name()).contains("bob");
        assertThat(check(jar, null, "alice").name()).contains("alice");
        assertRefused(jar, null, ErrorCode.UNKNOWN_PUBLISHER, "", "carol");
    }

    @Test
    void theSampleForWarmingUpIsSignedWithBothKindsOfKeyAndNobodyTrustsIt() throws Exception {
        Trust.warmUp();
        Path sample = directory.resolve("sample.jar");
        Files.copy(Trust.class.getResourceAsStream("sample.jar"), sample);
        assertThat(SignedJar.read(sample).signers()).extracting(chain -> chain.get(0).getPublicKey().getAlgorithm())
                .containsExactlyInAnyOrder("EdDSA", "EC");
        assertRefused(sample, null, ErrorCode.UNKNOWN_PUBLISHER, "CN=Nobody", "alice");
    }

    @Test
    void inDevelopmentTakesTheUnsignedAndWhateverIsIntact() {
        Trust trust = Trust.development();
        Path jar = Jars.unsigned(directory);
        assertThat(trust.check(jar, Jars.sha256(jar))).isNull();
        new BundleSigner(Keys.key("bob")).sign(jar, jar);
        assertThat(trust.check(jar, Jars.sha256(jar)).name()).contains("bob");
        Jars.edit(jar, entries -> entries.put(Jars.CODE, Jars.text("other")));
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> trust.check(jar, Jars.sha256(jar)))
                .withMessageContaining("EE-314").withMessageContaining(Jars.CODE);
    }
}
