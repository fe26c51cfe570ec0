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
                .containsEntry("revoked", Map.of("keys", 0, "bundles", 1, "contents", 0)).doesNotContainKey("problem");
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
        "key zz00000000000000000000000000000000000000000000000000000000000000"})
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
}
