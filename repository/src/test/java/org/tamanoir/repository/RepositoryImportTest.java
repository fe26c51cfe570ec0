package org.tamanoir.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.repository.store.postgresql.PostgresStore;
import org.tamanoir.repository.store.postgresql.RepositoryImport;
import org.tamanoir.repository.store.postgresql.RepositoryImport.Imported;
import org.tamanoir.trust.Trust;

/** The way from a directory to a database: all of it arrives as it was, or nothing. */
class RepositoryImportTest {
    @TempDir
    private Path directory;
    private Path from;
    private final String url = Databases.fresh();
    private final PostgresStore.Settings settings = PostgresStore.Settings.of(url, null, 16 << 20);
    private JsonNode services;
    private byte[] large;

    @BeforeEach
    void fill() throws Exception {
        from = directory.resolve("old");
        byte[] payload = new byte[3_500_000];
        new Random(1).nextBytes(payload);
        large = Bundles.good("meter", 0x5501, "1.0.0", payload);
        Signer alice = new Signer(directory, "alice", "CN=Alice,O=Example");
        Path publishers = Files.writeString(directory.resolve("publishers.pem"), alice.certificate());
        try (Repo old = new Repo(Repo.settings(from))) {
            old.push(Bundles.good("meter", 0x5501, "2.0.0"));
            old.push(large);
            old.push(Bundles.good("other", 0x5502, "1.0.0"));
            old.http.delete("/services/other/1.0.0");
        }
        // From now on the name is somebody's, also where an unsigned version is the newest.
        try (Repo old = new Repo(Repo.settings(from).withTrust(Trust.of(publishers, null)))) {
            old.push(alice.sign(Bundles.good("meter", 0x5501, "1.5.0")));
            services = old.services();
        }
    }

    private Repo shared() {
        return new Repo(Repo.settings(directory.resolve("cache")).withDatabase(settings));
    }

    private void assertRefused(ErrorCode code, String message) {
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> RepositoryImport.run(from, settings)).withMessageContaining(message)
                .satisfies(e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
    }

    @Test
    @Tag("long")
    void copiesAllAsItWasAndNothingASecondTime() throws Exception {
        assertThat(RepositoryImport.run(from, settings)).extracting(Imported::versions, Imported::known).containsExactly(4, 0);
        assertThat(RepositoryImport.run(from, settings)).isEqualTo(new Imported(0, 4, 0));
        try (Repo repo = shared(); Repo old = new Repo(Repo.settings(from))) {
            assertThat(repo.services()).isEqualTo(services);
            assertThat(repo.index()).hasSize(3);
            assertThat(repo.http.bytes("/bundles/" + Repo.sha256(large) + ".jar", 8 << 20)).isEqualTo(large);
            assertThat(repo.http.json("/health").path("database").path("revision").asLong()).as("an index of later")
                    .isGreaterThan(5);
            assertThat(old.services()).isEqualTo(services);
            repo.push(Bundles.good("other", 0x5502, "1.0.0"));
        }
        // Published again since: what the database says holds.
        assertThat(RepositoryImport.run(from, settings).known()).isEqualTo(4);
        try (Repo repo = shared()) {
            assertThat(repo.http.json("/services/other/1.0.0").path("retired").asBoolean(true)).isFalse();
        }
    }

    @Test
    @Tag("long")
    void joinsWhatIsThereAndRefusesWhatContradictsItWithoutATrace() throws Exception {
        try (Repo repo = shared()) {
            repo.push(Bundles.good("third", 0x5503, "1.0.0"));
            repo.push(Bundles.good("other", 0x5502, "1.0.0", new byte[7]));
        }
        assertRefused(ErrorCode.VERSION_EXISTS, "other 1.0.0");
        assertThat(Databases.query(url, "SELECT service FROM repository_release ORDER BY 1")).containsExactly("other", "third");
        assertThat(Databases.query(url, "SELECT sha256 FROM repository_bundle")).hasSize(2);
    }

    @Test
    @Tag("long")
    void refusesADirectoryThatIsInUseOrHoldsNothingAndBundlesThatAreDamaged() throws Exception {
        try (Repo old = new Repo(Repo.settings(from))) {
            assertRefused(ErrorCode.DATA_DIRECTORY, "another process");
            assertThat(old.services()).hasSize(4);
        }
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> RepositoryImport.run(directory.resolve("empty"), settings)).withMessageContaining("no repository");
        assertThat(directory.resolve("empty")).doesNotExist();
        Files.write(from.resolve("bundles/" + Repo.sha256(large) + ".jar"), new byte[10]);
        assertRefused(ErrorCode.STORAGE, "meter 1.0.0");
        assertThat(Databases.query(url, "SELECT tablename FROM pg_tables WHERE tablename LIKE 'repository%'")).isEmpty();
    }
}
