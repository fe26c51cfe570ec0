package org.tamanoir.trust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Two lists: of publishers who are trusted, and of guests. */
@Tag("long")
class GuestTrustTest {
    @TempDir
    private Path directory;

    private Path guests(String... names) throws IOException {
        return Files.writeString(directory.resolve("guests.pem"), Keys.pem(names));
    }

    private static Publisher check(Trust trust, Path jar) {
        return trust.check(jar, Jars.sha256(jar));
    }

    @Test
    @Tag("long")
    void knowsAGuestByTheSecondListAndSaysTheLabel() throws IOException {
        Trust trust = Trust.of(Jars.trustFile(directory, "alice"), guests("bob"), null, null, List.of());
        assertThat(trust.takesGuests()).isTrue();
        Publisher guest = check(trust, Jars.signed(directory, "bob"));
        assertThat(guest.isGuest()).isTrue();
        assertThat(guest.label()).isEqualTo("bob");
        assertThat(guest.name()).isEqualTo("CN=bob,O=Example");
        assertThat(check(trust, Jars.signed(directory, "alice")).isGuest()).isFalse();
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> check(trust, Jars.signed(directory, "carol")))
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN_PUBLISHER));
    }

    @Test
    void takesWhoeverIsInBothListsForAPublisher() throws IOException {
        Trust trust = Trust.of(Jars.trustFile(directory, "alice", "bob"), guests("bob"), null, null, List.of());
        assertThat(check(trust, Jars.signed(directory, "bob")).isGuest()).isFalse();
    }

    @Test
    void takesWhatBothHaveSignedForAPublishers() throws IOException {
        Trust trust = Trust.of(Jars.trustFile(directory, "alice"), guests("bob"), null, null, List.of());
        Path jar = Jars.signed(directory, "bob");
        Keys.jarsigner(jar, "alice");
        assertThat(check(trust, jar).name()).isEqualTo("CN=alice,O=Example");
        assertThat(check(trust, jar).isGuest()).isFalse();
    }

    @Test
    void takesNobodyForAGuestWhomThePublishersListRefuses() throws IOException {
        Trust trust = Trust.of(Jars.trustFile(directory, "expired"), guests("expired"), null, null, List.of());
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> check(trust, Jars.signed(directory, "expired")))
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.CERTIFICATE_EXPIRED));
    }

    @Test
    void takesGuestsOfAnAuthorityAndRefusesTheirKeys() throws IOException {
        Keys.certified("heidi", "authority");
        Path revoked = Files.writeString(directory.resolve("revoked.txt"), "");
        Trust trust = Trust.of(Jars.trustFile(directory, "alice"), guests("authority"), revoked, null, List.of());
        Path jar = Jars.signed(directory, "heidi");
        assertThat(check(trust, jar).label()).isEqualTo("heidi");
        Files.writeString(revoked, "key " + Keys.key("heidi").publisher().key() + "\n");
        assertThat(trust.reload()).isTrue();
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> check(trust, jar)).satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.REVOKED));
    }

    @Test
    void readsTheListAgainAndShowsIt() throws IOException {
        Trust trust = Trust.of(Jars.trustFile(directory, "alice"), guests("bob"), null, null, List.of());
        guests("bob", "carol");
        long before = trust.revision();
        assertThat(trust.reload()).isTrue();
        assertThat(trust.revision()).isGreaterThan(before);
        assertThat(check(trust, Jars.signed(directory, "carol")).label()).isEqualTo("carol");
        List<?> shown = (List<?>) trust.describe().get("guests");
        assertThat(shown.stream().map(each -> (Object) ((Map<?, ?>) each).get("label"))).containsExactly("bob", "carol");
        // What is no good changes nothing.
        Files.writeString(directory.resolve("guests.pem"), "nonsense");
        assertThatExceptionOfType(AnepException.class).isThrownBy(trust::reload).satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_CONFIGURATION));
        assertThat(check(trust, Jars.signed(directory, "carol")).isGuest()).isTrue();
    }

    @Test
    void hasNoGuestsWithoutAList() {
        Trust trust = Trust.of(Jars.trustFile(directory, "alice"), null);
        assertThat(trust.takesGuests()).isFalse();
        assertThat(trust.describe()).doesNotContainKey("guests");
    }
}
