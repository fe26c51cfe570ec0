package org.tamanoir.trust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** The files of trust may change while it is in use. */
class ReloadTest {
    @TempDir
    private Path directory;

    @Test
    void takesWhatChangedAndNothingElse() throws Exception {
        Path jar = Jars.signed(directory, "bob");
        Path revoked = Files.createFile(directory.resolve("revoked"));
        Trust trust = Trust.of(Jars.trustFile(directory, "alice"), revoked);
        assertThat(trust.reload()).isFalse();
        assertThat(trust.revision()).isZero();

        Jars.trustFile(directory, "alice", "bob");
        assertThat(trust.reload()).isTrue();
        assertThat(trust.reload()).isFalse();
        assertThat(trust.check(jar, Jars.sha256(jar)).name()).contains("bob");

        Files.writeString(revoked, "bundle " + Jars.sha256(jar));
        assertThat(trust.reload()).isTrue();
        assertThat(trust.revision()).isEqualTo(2);
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> trust.check(jar, Jars.sha256(jar))).withMessageContaining("EE-316");
        assertThat(trust.describe()).containsEntry("mode", "publishers")
                .containsEntry("revoked", Map.of("keys", 0, "bundles", 1, "contents", 0, "serial", 0L)).doesNotContainKey("problem");
        assertThat((List<?>) trust.describe().get("publishers")).hasSize(2).first().asString().contains(Keys.key("alice").publisher().key());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "not a certificate", "-----BEGIN CERTIFICATE-----\nMIIB\n", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----"})
    void keepsWhatWasTrustedWhenTheFileOfPublishersIsNoGood(String content) throws Exception {
        Path jar = Jars.signed(directory, "alice");
        Path publishers = Jars.trustFile(directory, "alice");
        Trust trust = Trust.of(publishers, null);
        Files.writeString(publishers, content);
        assertThatExceptionOfType(AnepException.class).isThrownBy(trust::reload).withMessageContaining(publishers.toString())
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_CONFIGURATION));
        assertThat(trust.describe()).containsKey("problem");
        assertThat(trust.check(jar, Jars.sha256(jar))).isNotNull();
        assertThat(trust.reload()).as("said once").isFalse();

        // At the start there is nothing to keep.
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> Trust.of(publishers, null)).withMessageContaining("EE-501");
        Jars.trustFile(directory, "alice");
        assertThat(trust.reload()).isTrue();
        assertThat(trust.describe()).doesNotContainKey("problem");
    }

    @ParameterizedTest
    @ValueSource(strings = {"key", "key 12", "serial 0000000000000000000000000000000000000000000000000000000000000000",
        "key zz00000000000000000000000000000000000000000000000000000000000000",
        "key 0000000000000000000000000000000000000000000000000000000000000000 until 2027-02-30",
        "restored key 0000000000000000000000000000000000000000000000000000000000000000 until 2027-02-20"})
    void keepsWhatWasRevokedWhenALineOfTheListMeansNothing(String line) throws Exception {
        Path jar = Jars.signed(directory, "alice");
        Path revoked = Files.writeString(directory.resolve("revoked"), "bundle " + Jars.sha256(jar));
        Trust trust = Trust.of(Jars.trustFile(directory, "alice"), revoked);
        Files.writeString(revoked, "# none is revoked any more\n" + line);
        assertThatExceptionOfType(AnepException.class).isThrownBy(trust::reload).withMessageContaining("EE-501").withMessageContaining("line 2");
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> trust.check(jar, Jars.sha256(jar))).withMessageContaining("EE-316");
        Files.delete(revoked);
        assertThatExceptionOfType(AnepException.class).isThrownBy(trust::reload).withMessageContaining("EE-501");
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> trust.check(jar, Jars.sha256(jar))).withMessageContaining("EE-316");
    }

    private static boolean isRevoked(Trust trust, Path jar) {
        try {
            trust.check(jar, Jars.sha256(jar));
            return false;
        } catch (AnepException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.REVOKED);
            return true;
        }
    }

    @Test
    void aRevocationStaysUntilTheListRestoresIt() throws Exception {
        Path jar = Jars.signed(directory, "alice");
        Path publishers = Jars.trustFile(directory, "alice");
        Path seen = directory.resolve("data/revoked.seen");
        String line = "bundle " + Jars.sha256(jar);
        Path revoked = Files.writeString(directory.resolve("revoked"), line);
        assertThat(isRevoked(Trust.of(publishers, revoked, seen), jar)).isTrue();

        Files.writeString(revoked, "# emptied\n");
        Trust restarted = Trust.of(publishers, revoked, seen);
        assertThat(isRevoked(restarted, jar)).as("after the list was emptied").isTrue();
        assertThat(isRevoked(Trust.of(publishers, null, seen), jar)).as("without a list").isTrue();

        Files.writeString(revoked, line + "\nrestored " + line);
        assertThatExceptionOfType(AnepException.class).isThrownBy(restarted::reload).withMessageContaining("revoked and restored");
        assertThat(isRevoked(restarted, jar)).isTrue();

        Files.writeString(revoked, "restored " + line);
        assertThat(restarted.reload()).isTrue();
        assertThat(isRevoked(restarted, jar)).isFalse();
        Files.writeString(revoked, "# the mistake is forgotten\n");
        assertThat(isRevoked(Trust.of(publishers, revoked, seen), jar)).as("once restored it stays that").isFalse();
    }

    @Test
    void anOlderListIsRefused() throws Exception {
        Path jar = Jars.signed(directory, "alice");
        Path publishers = Jars.trustFile(directory, "alice");
        Path seen = directory.resolve("revoked.seen");
        Path revoked = Files.writeString(directory.resolve("revoked"), "serial 7\n");
        Trust trust = Trust.of(publishers, revoked, seen);
        for (String older : List.of("serial 6\nrestored bundle " + Jars.sha256(jar), "")) {
            Files.writeString(revoked, older);
            assertThatExceptionOfType(AnepException.class).isThrownBy(trust::reload).withMessageContaining("lower than 7");
            assertThatExceptionOfType(AnepException.class).isThrownBy(() -> Trust.of(publishers, revoked, seen)).withMessageContaining("lower than 7");
            assertThat(trust.problem()).contains("lower than 7");
            Files.writeString(revoked, "serial 7\n");
            trust.reload();
            assertThat(trust.problem()).isNull();
        }
    }

    @Test
    void aLineThatExpiresIsInForceToTheEndOfItsDayAndNoOtherLineShortensIt() throws Exception {
        Path jar = Jars.signed(directory, "alice");
        Path publishers = Jars.trustFile(directory, "alice");
        Path revoked = directory.resolve("revoked");
        String line = "bundle " + Jars.sha256(jar) + " until ";
        Files.writeString(revoked, line + RevocationHistory.today().minusDays(1));
        assertThat(isRevoked(Trust.of(publishers, revoked), jar)).isFalse();
        Files.writeString(revoked, line + RevocationHistory.today().plusDays(1));
        Trust trust = Trust.of(publishers, revoked);
        assertThat(isRevoked(trust, jar)).isTrue();
        Files.writeString(revoked, line + RevocationHistory.today().minusDays(1));
        assertThat(trust.reload()).isTrue();
        assertThat(isRevoked(trust, jar)).isTrue();
    }

    /** What is in force and could not be kept is kept later, though nothing about the list has changed. */
    @Test
    void isTriedAgainAfterAFailureThatLeavesTheFilesAsTheyAre() throws Exception {
        Path jar = Jars.signed(directory, "alice");
        Path publishers = Jars.trustFile(directory, "alice");
        Path seen = directory.resolve("data/revoked.seen");
        Path revoked = Files.createFile(directory.resolve("revoked"));
        Trust trust = Trust.of(publishers, revoked, seen);
        Path inTheWay = Files.createDirectories(directory.resolve("data/revoked.seen.part"));
        Files.writeString(revoked, "bundle " + Jars.sha256(jar));
        assertThatExceptionOfType(AnepException.class).isThrownBy(trust::reload).withMessageContaining("EE-409");
        assertThat(isRevoked(trust, jar)).as("in force all the same").isTrue();
        assertThat(trust.problem()).contains("cannot be kept");
        Files.delete(inTheWay);
        for (long end = System.nanoTime() + 10_000_000_000L; trust.problem() != null && System.nanoTime() < end; Thread.sleep(20)) {
            trust.reload();
        }
        assertThat(trust.problem()).isNull();
        assertThat(isRevoked(Trust.of(publishers, null, seen), jar)).as("after a restart").isTrue();
    }

    @Test
    void neitherFileKeepsTheOtherFromBeingRead() throws Exception {
        Path jar = Jars.signed(directory, "alice");
        Path publishers = Jars.trustFile(directory, "alice");
        Path real = Files.writeString(directory.resolve("real"), "bundle " + Jars.sha256(jar));
        Path revoked = Files.createFile(directory.resolve("revoked"));
        Trust trust = Trust.of(publishers, revoked);
        Files.delete(revoked);
        Files.createDirectory(revoked);
        assertThatExceptionOfType(AnepException.class).isThrownBy(trust::reload);
        assertThat(trust.reload()).as("said once").isFalse();
        assertThat(trust.problem()).contains("cannot be read");

        Files.delete(revoked);
        Files.createSymbolicLink(revoked, directory.resolve("none"));
        assertThatExceptionOfType(AnepException.class).isThrownBy(trust::reload);
        Files.move(real, directory.resolve("none"));
        Files.writeString(publishers, "not a certificate");
        assertThatExceptionOfType(AnepException.class).isThrownBy(trust::reload).withMessageContaining(publishers.toString());
        assertThat(isRevoked(trust, jar)).isTrue();
        assertThat(trust.revision()).as("there is something to check again").isEqualTo(1);
    }
}
