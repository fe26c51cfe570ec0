package org.tamanoir.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch.Fetched;
import org.tamanoir.repository.mirror.MirrorSettings;
import org.tamanoir.repository.store.postgresql.PostgresStore;
import org.tamanoir.repository.store.postgresql.RepositoryImport;

/** Several repositories in one database: what one of them takes is what all of them have. */
class SharedRepositoryTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final long CACHE = 64 << 20;

    @TempDir
    private Path directory;
    private final String url = Databases.fresh();
    private final List<Repo> repos = new ArrayList<>();

    @AfterEach
    void stop() {
        repos.forEach(Repo::close);
    }

    private Repo repo(PostgresStore.Settings settings) {
        return repo("process" + repos.size(), settings);
    }

    private Repo repo(String name, PostgresStore.Settings settings) {
        Repo repo = new Repo(RepositorySettings.of(new InetSocketAddress("127.0.0.1", 0), directory.resolve(name)).withDatabase(settings));
        repos.add(repo);
        return repo;
    }

    private Repo repo() {
        return repo(PostgresStore.Settings.of(url, null, CACHE));
    }

    private static void assertCode(ErrorCode code, ThrowingCallable call) {
        assertThatExceptionOfType(AnepException.class).isThrownBy(call).satisfies(e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
    }

    private static byte[] fetched(Repo repo, byte[] bundle) {
        return repo.http.bytes("/bundles/" + Repo.sha256(bundle) + ".jar", 8 << 20);
    }

    private static String tag(Repo repo) {
        return repo.http.ifChanged("/index.xml", null, 1 << 20).etag();
    }

    @Test
    @Tag("long")
    void aPushAtOneIsShownByTheOthersWithinASecondAndAllHaveTheSameIndex() throws Exception {
        repo();
        repo();
        repo();
        for (int i = 0; i < 6; i++) {
            Repo to = repos.get(i % 3);
            Fetched before = repos.get((i + 1) % 3).http.ifChanged("/index.xml", null, 1 << 20);
            byte[] bundle = Bundles.good("meter", 0x5501, "1." + i + ".0", new byte[3_000_000]);
            if (i == 3) {
                // Whoever waits for a notification is cut off: it looks when it is connected again.
                Databases.query(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%repository_state%'");
            }
            to.push(bundle);
            for (Repo each : repos) {
                await().atMost(i == 3 ? SECOND.multipliedBy(2) : SECOND).pollInterval(Duration.ofMillis(20)).untilAsserted(() -> assertThat(tag(each)).isNotEqualTo(before.etag()).isEqualTo(tag(to)));
                assertThat(each.services()).isEqualTo(to.services());
                assertThat(fetched(each, bundle)).isEqualTo(bundle);
            }
        }
        repos.get(2).http.delete("/services/meter/1.0.0");
        await().atMost(SECOND).untilAsserted(() -> assertThat(repos.get(0).index()).hasSize(5));
        assertThat(repos.get(0).http.json("/health").path("database").path("revision").asLong()).isEqualTo(7);
        assertThat(repos.get(1).metrics()).contains("\ntamanoir_repository_database_up 1\n", "\ntamanoir_repository_cache_bundles 6\n");
    }

    @Test
    @Tag("long")
    void thoseThatStartAtOnceMakeTheTablesOnce() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(3);
        try {
            List<Future<Repo>> starting = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Path data = directory.resolve("at-once" + i);
                starting.add(pool.submit(() -> new Repo(RepositorySettings.of(new InetSocketAddress("127.0.0.1", 0), data).withDatabase(PostgresStore.Settings.of(url, null, CACHE)))));
            }
            for (Future<Repo> each : starting) {
                repos.add(each.get());
            }
        } finally {
            pool.shutdown();
        }
        repos.get(0).push(Bundles.good("meter", 0x5501, "1.0.0"));
        await().atMost(PATIENCE).ignoreExceptions().untilAsserted(() -> assertThat(repos.get(2).index()).hasSize(1));
        assertThat(Databases.query(url, "SELECT revision FROM repository_state")).containsExactly("1");
    }

    @Test
    @Tag("long")
    void ofManyUploadsOfOneVersionAtTwoProcessesOneWins() throws Exception {
        repo();
        repo();
        int racers = 6;
        ExecutorService pool = Executors.newFixedThreadPool(racers);
        try {
            for (int round = 0; round < 5; round++) {
                String version = "1." + round + ".0";
                // In the last round all of them bring the same octets, and all of them are right.
                boolean isSame = round == 4;
                CountDownLatch go = new CountDownLatch(1);
                List<Future<String>> results = new ArrayList<>();
                for (int i = 0; i < racers; i++) {
                    byte[] payload = new byte[100_000 + (isSame ? 0 : 20_000 * i)];
                    new Random(i).nextBytes(payload);
                    byte[] bundle = Bundles.good("meter", 0x5501, version, isSame ? new byte[200_000] : payload);
                    Repo repo = repos.get(i % 2);
                    results.add(pool.submit(() -> {
                        go.await();
                        try {
                            return repo.push(bundle).path("sha256").asText();
                        } catch (AnepException e) {
                            assertThat(e.code()).as(e.getMessage()).isEqualTo(ErrorCode.VERSION_EXISTS);
                            return null;
                        }
                    }));
                }
                go.countDown();
                List<String> winners = new ArrayList<>();
                for (Future<String> result : results) {
                    winners.add(result.get());
                }
                winners.removeIf(each -> each == null);
                assertThat(winners).hasSize(isSame ? racers : 1);
                for (Repo each : repos) {
                    await().atMost(PATIENCE).untilAsserted(() -> assertThat(each.http.json("/services/meter/" + version).path("sha256").asText()).isEqualTo(winners.get(0)));
                    assertThat(Repo.sha256(each.http.bytes("/bundles/" + winners.get(0) + ".jar", 1 << 20))).isEqualTo(winners.get(0));
                }
            }
        } finally {
            pool.shutdownNow();
        }
        assertThat(Databases.query(url, "SELECT sha256 FROM repository_bundle")).hasSize(5);
    }

    @Test
    @Tag("long")
    void aNameAndANumberBelongTogetherAlsoAgainstAProgramThatKnowsNoRules() throws Exception {
        Repo repo = repo();
        repo.push(Bundles.good("meter", 0x5501, "1.0.0"));
        // It counts no revision up, so nobody has read what it wrote.
        Databases.run(url, "INSERT INTO repository_service (name, type_id) VALUES ('foreign', 22018)", "INSERT INTO repository_bundle SELECT repeat('0', 64), size, manifest, signed, lease, put FROM"
                + " repository_bundle", "INSERT INTO repository_release SELECT 'foreign', version, level, repeat('0', 64), size, uploaded, retired, publisher, key, repeat('0', 64) FROM repository_release");
        assertCode(ErrorCode.TYPE_ID_TAKEN, () -> repo.push(Bundles.good("other", 22018, "1.0.0")));
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> Databases.run(url, "INSERT INTO repository_service (name, type_id) VALUES ('second', 22018)"));
        assertThatExceptionOfType(IllegalStateException.class).as("a bundle that is published").isThrownBy(() -> Databases.run(url, "DELETE FROM repository_bundle"));
        repo.push(Bundles.good("meter", 0x5501, "1.1.0"));
        assertThat(repo.services()).hasSize(3);
    }

    @Test
    @Tag("long")
    void theDirectoryIsACacheWithABoundThatMayBeLost() throws Exception {
        Repo repo = repo(PostgresStore.Settings.of(url, null, 2_500_000));
        List<byte[]> bundles = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            byte[] payload = new byte[1_000_000];
            new Random(i).nextBytes(payload);
            bundles.add(Bundles.good("meter", 0x5501, "1." + i + ".0", payload));
            repo.push(bundles.get(i));
        }
        Path cache = directory.resolve("process0/cache");
        assertThat(cache.toFile().list()).hasSize(2);
        for (byte[] each : bundles) {
            assertThat(fetched(repo, each)).isEqualTo(each);
        }
        Path spoilt = cache.resolve(Repo.sha256(bundles.get(3)) + ".jar");
        Files.write(spoilt, new byte[100]);
        assertThat(fetched(repo, bundles.get(3))).isEqualTo(bundles.get(3));
        repo.close();
        try (Stream<Path> files = Files.walk(directory.resolve("process0"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.delete(file);
            }
        }
        Repo again = repo("process0", PostgresStore.Settings.of(url, null, 2_500_000));
        assertThat(again.index()).hasSize(4);
        for (byte[] each : bundles) {
            assertThat(fetched(again, each)).isEqualTo(each);
        }
        assertThat(cache.toFile().list()).hasSize(2);
        assertThat(again.http.json("/health").path("cache").path("octets").asLong()).isBetween(1_000_000L, 2_500_000L);
    }

    @Test
    @Tag("long")
    void aBundleThatIsDamagedInTheDatabaseIsReportedNeverServedAndCuredByAPushAtAnyProcess() throws Exception {
        byte[] payload = new byte[2_000_000];
        new Random(1).nextBytes(payload);
        byte[] bundle = Bundles.good("meter", 0x5501, "1.0.0", payload);
        Repo first = repo();
        first.push(bundle);
        first.push(Bundles.good("other", 0x5502, "1.0.0"));
        for (String damage : new String[] {"DELETE FROM repository_chunk WHERE number = 1 AND sha256 = '" + Repo.sha256(bundle) + "'",
            "UPDATE repository_chunk SET octets = set_byte(octets, 7, 1 - get_byte(octets, 7) % 2) WHERE number = 0 AND sha256 = '" + Repo.sha256(bundle) + "'"}) {
            Databases.run(url, damage);
            Repo fresh = repo();
            assertCode(ErrorCode.STORAGE, () -> fetched(fresh, bundle));
            assertThat(fresh.index()).hasSize(1);
            assertThat(fresh.http.json("/health").path("status").asText()).isEqualTo("degraded");
            assertThat(fresh.http.json("/health").path("damaged").get(0).asText()).isEqualTo(Repo.sha256(bundle));
            assertThat(fetched(first, bundle)).as("in its cache").isEqualTo(bundle);
            first.push(bundle);
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(fresh.index()).hasSize(2));
            assertThat(fetched(fresh, bundle)).isEqualTo(bundle);
            assertThat(fresh.http.json("/health").path("status").asText()).isEqualTo("up");
        }
    }

    @Test
    @Tag("long")
    void whatWasPutAndNeverPublishedIsRemovedWhenItIsOldEnough() throws Exception {
        Repo repo = repo();
        byte[] bundle = Bundles.good("meter", 0x5501, "1.0.0");
        repo.push(bundle);
        Databases.run(url, "INSERT INTO repository_bundle SELECT repeat('a', 64), size, manifest, signed, lease, now() FROM repository_bundle",
                "INSERT INTO repository_chunk VALUES (repeat('a', 64), 0, '\\x00')",
                "INSERT INTO repository_bundle SELECT repeat('b', 64), size, manifest, signed, lease, now() - interval '2 hours' FROM repository_bundle LIMIT 1");
        repo();
        assertThat(Databases.query(url, "SELECT sha256 FROM repository_bundle")).containsExactlyInAnyOrder(Repo.sha256(bundle), "a".repeat(64));
        repo(new PostgresStore.Settings(url, null, CACHE, Duration.ZERO, InstantSource.system()));
        assertThat(Databases.query(url, "SELECT sha256 FROM repository_bundle")).containsExactly(Repo.sha256(bundle));
        assertThat(Databases.query(url, "SELECT sha256 FROM repository_chunk")).containsExactly(Repo.sha256(bundle));
    }

    @Test
    void aDirectoryBelongsToOneProcessAndIsEitherARepositoryOrACache() throws IOException {
        PostgresStore.Settings settings = PostgresStore.Settings.of(url, null, CACHE);
        repo("mine", settings);
        assertCode(ErrorCode.DATA_DIRECTORY, () -> repo("mine", settings));
        assertCode(ErrorCode.DATA_DIRECTORY, () -> new Repo(Repo.settings(directory.resolve("mine"))));
        try (Repo own = new Repo(Repo.settings(directory.resolve("own")))) {
            own.push(Bundles.good("meter", 0x5501, "1.0.0"));
        }
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> repo("own", settings)).withMessageContaining("repository import");
        try (Repo own = new Repo(Repo.settings(directory.resolve("own")))) {
            assertThat(own.services()).hasSize(1);
        }
        RepositorySettings mirror = RepositorySettings.of(new InetSocketAddress("127.0.0.1", 0), directory.resolve("mirror")).withDatabase(settings);
        assertCode(ErrorCode.BAD_CONFIGURATION, () -> new Repo(mirror, MirrorSettings.of("http://127.0.0.1:1", 1 << 20)));
    }

    /** Metadata and its keys would be in a directory that may be lost: nothing is published so, and nothing that was is left behind. */
    @Test
    @Tag("long")
    void aRepositoryInADatabasePublishesNothingByTuf() throws IOException {
        PostgresStore.Settings settings = PostgresStore.Settings.of(url, null, CACHE);
        Repo shared = repo("cache", settings);
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> shared.http.post("/tuf/keys", Map.of())).withMessageContaining("may be lost")
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_CONFIGURATION));
        assertCode(ErrorCode.BAD_CONFIGURATION, () -> shared.http.put("/tuf/root", new byte[] {'{', '}'}, 0));
        assertCode(ErrorCode.BAD_CONFIGURATION, () -> shared.http.send("PUT", "/tuf/roles/targets?metadata=2", "application/octet-stream", new byte[] {'{', '}'}, 0));
        assertCode(ErrorCode.NO_METADATA, () -> shared.http.bytes("/tuf/timestamp.json", 1 << 20));
        shared.push(Bundles.good("meter", 0x5501, "1.0.0"));
        shared.http.delete("/services/meter/1.0.0");
        assertThat(shared.http.json("/health").has("tuf")).isFalse();
        assertThat(directory.resolve("cache/tuf")).doesNotExist();
        try (Repo own = new Repo(Repo.settings(directory.resolve("signed")))) {
            new Ceremony(own.http).begin();
        }
        assertCode(ErrorCode.BAD_CONFIGURATION, () -> repo("signed", settings));
        assertCode(ErrorCode.BAD_CONFIGURATION, () -> RepositoryImport.run(directory.resolve("signed"), settings));
    }

    /** Dates of publications are the database's; a machine whose clock is wrong is told so and does no harm. */
    @Test
    @Tag("long")
    void aClockThatIsAnHourOffChangesNothingAndIsSeen() throws Exception {
        Repo ahead = repo(new PostgresStore.Settings(url, null, CACHE, Duration.ofHours(1), () -> Instant.now().plusSeconds(3600)));
        Instant before = Instant.parse(Databases.query(url, "SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')").get(0));
        assertThat(Instant.parse(ahead.push(Bundles.good("meter", 0x5501, "1.0.0")).path("uploaded").asText())).isBetween(before, before.plusSeconds(20));
        assertThat(ahead.http.json("/health").path("status").asText()).isEqualTo("degraded");
        assertThat(ahead.http.json("/health").path("database").path("clockAheadMillis").asLong()).isBetween(3_590_000L, 3_610_000L);
        assertThat(ahead.http.json("/health").path("database").path("clock").asText()).contains("differs");
        Repo right = repo();
        assertThat(right.services()).hasSize(1);
        assertThat(right.http.json("/health").path("status").asText()).isEqualTo("up");
    }
}
