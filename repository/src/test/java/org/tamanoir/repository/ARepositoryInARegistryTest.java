package org.tamanoir.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.lab.RegistryServer;
import org.tamanoir.oci.Registry;
import org.tamanoir.repository.mirror.MirrorSettings;
import org.tamanoir.repository.store.postgresql.PostgresStore;
import org.tamanoir.repository.store.registry.RegistryStore;

/** A repository whose bundles are in a registry, and everything that a registry can do to it. */
@Timeout(120)
class ARepositoryInARegistryTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration LOOK = Duration.ofMillis(600);
    private static final long CACHE = 64 << 20;

    @TempDir
    private Path directory;
    private RegistryServer server;
    private final List<Repo> repos = new ArrayList<>();
    private final byte[] first = Bundles.good("meter", 0x5501, "1.0.0", payload(1));
    private final byte[] second = Bundles.good("meter", 0x5501, "1.1.0", payload(2));

    private static byte[] payload(int which) {
        byte[] payload = new byte[300_000];
        new Random(7).nextBytes(payload);
        payload[0] = (byte) which;
        return payload;
    }

    @BeforeEach
    void start() {
        server = Registries.start();
    }

    @AfterEach
    void stop() {
        repos.forEach(Repo::close);
        server.close();
    }

    private RegistryStore.Settings registry(long cache, Duration look) {
        return RegistryStore.Settings.of("oci://" + server.address() + "/grid", Registry.Settings.of(null, null).withTimes(Duration.ofSeconds(20), Duration.ofSeconds(3)), cache).withLook(look);
    }

    private RepositorySettings settings(String name) {
        return Repo.settings(directory.resolve(name)).withRegistry(registry(CACHE, LOOK));
    }

    private Repo open(RepositorySettings settings, MirrorSettings upstream) {
        Repo repo = new Repo(settings, upstream);
        repos.add(repo);
        return repo;
    }

    private Repo repo(String name) {
        return open(settings(name), null);
    }

    private static void remove(Path path) throws IOException {
        try (Stream<Path> files = Files.walk(path)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private static String path(byte[] bundle) {
        return "/bundles/" + Repo.sha256(bundle) + ".jar";
    }

    private static byte[] fetched(Repo repo, byte[] bundle) {
        return repo.http.bytes(path(bundle), 1 << 20);
    }

    private static JsonNode health(Repo repo) {
        return repo.http.json("/health");
    }

    private static void assertCode(ErrorCode code, ThrowingCallable call) {
        assertThatExceptionOfType(AnepException.class).isThrownBy(call).satisfies(e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
    }

    /** What a client sees that is told to come again. */
    private static void assertAgainLater(Repo repo, String method, String path, byte[] body, ErrorCode code) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(repo.server.url() + path)).timeout(PATIENCE)
                .method(method, body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofByteArray(body)).build();
        HttpResponse<String> response = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
        assertThat(response.body()).contains("\"" + code + "\"");
        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.headers().firstValueAsLong("Retry-After").orElseThrow()).isBetween(1L, 60L);
    }

    @Test
    void whatIsPushedIsInTheRegistryAndTheDirectoryIsACacheAndACatalogue() throws Exception {
        try (Repo repo = new Repo(settings("data"))) {
            repo.push(first);
            assertThat(Registries.tagged("oci://" + server.address() + "/grid")).containsExactly(Repo.sha256(first));
            assertThat(Files.readAllBytes(server.blob(Repo.sha256(first)))).isEqualTo(first);
            assertThat(fetched(repo, first)).isEqualTo(first);
            assertThat(repo.metrics()).contains("\ntamanoir_repository_registry_up 1\n", "\ntamanoir_repository_cache_bundles 1\n");
        }
        // All that is not the catalogue may be lost.
        remove(directory.resolve("data/cache"));
        remove(directory.resolve("data/facts"));
        try (Repo repo = new Repo(settings("data"))) {
            assertThat(repo.index()).hasSize(1);
            assertThat(fetched(repo, first)).isEqualTo(first);
            assertThat(health(repo).path("registry").path("location").asText()).isEqualTo("oci://" + server.address() + "/grid");
            assertThat(health(repo).path("status").asText()).isEqualTo("up");
        }
        assertThat(directory.resolve("data/bundles")).isEmptyDirectory();
    }

    @Test
    void theCacheHasABoundAndServesAllTheSame() throws Exception {
        Repo repo = open(settings("data").withRegistry(registry(400_000, LOOK)), null);
        repo.push(first);
        repo.push(second);
        for (int i = 0; i < 3; i++) {
            assertThat(fetched(repo, first)).isEqualTo(first);
            assertThat(fetched(repo, second)).isEqualTo(second);
        }
        assertThat(health(repo).path("cache").path("bundles").asInt()).isEqualTo(1);
        assertThat(repo.index()).hasSize(2);
    }

    @Test
    @Tag("long")
    void aRegistryThatIsAwayCostsOnlyWhatIsNotAtHandAndIsMissedByNobodyWhenItIsBack() throws Exception {
        Repo repo = open(settings("data").withRegistry(registry(400_000, LOOK)), null);
        repo.push(first);
        repo.push(second);
        String tag = repo.http.ifChanged("/index.xml", null, 1 << 20).etag();
        server.kill();
        assertThat(fetched(repo, second)).isEqualTo(second);
        assertAgainLater(repo, "GET", path(first), null, ErrorCode.REGISTRY_AWAY);
        assertAgainLater(repo, "PUT", "/bundles", Bundles.good("meter", 0x5501, "2.0.0"), ErrorCode.REGISTRY_AWAY);
        assertThat(repo.services()).hasSize(2);
        assertThat(repo.http.ifChanged("/index.xml", null, 1 << 20).etag()).isEqualTo(tag);
        assertThat(health(repo).path("damaged")).as("what cannot be told now is not damaged").isEmpty();
        assertThat(health(repo).path("status").asText()).isEqualTo("degraded");
        assertThat(health(repo).path("registry").path("problem").asText()).startsWith("EE-430");

        // One that starts now has its index, and what its cache had.
        repo.close();
        Repo later = open(settings("data"), null);
        assertThat(later.http.ifChanged("/index.xml", null, 1 << 20).etag()).isEqualTo(tag);
        assertThat(fetched(later, second)).isEqualTo(second);
        assertAgainLater(later, "GET", path(first), null, ErrorCode.REGISTRY_AWAY);

        server.again(false);
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(health(later).path("status").asText()).isEqualTo("up"));
        assertThat(fetched(later, first)).isEqualTo(first);
        later.push(Bundles.good("meter", 0x5501, "2.0.0"));
    }

    @Test
    @Tag("long")
    void aRegistryThatDoesNotAnswerKeepsNobodyFromWhatIsAtHand() throws Exception {
        Repo repo = open(settings("data").withRegistry(registry(400_000, Duration.ofHours(1))), null);
        repo.push(first);
        repo.push(second);
        server.pause();
        ExecutorService many = Executors.newFixedThreadPool(40);
        try {
            for (int i = 0; i < 40; i++) {
                many.submit(() -> fetched(repo, first));
            }
            Thread.sleep(500);
            for (int i = 0; i < 10; i++) {
                long start = System.nanoTime();
                assertThat(fetched(repo, second)).isEqualTo(second);
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(1));
            }
        } finally {
            server.resume();
            many.shutdownNow();
        }
    }

    @Test
    void aRegistryThatTakesNothingIsSaidUntilItTakesSomething() throws Exception {
        Repo repo = open(settings("data").withRegistry(registry(400_000, LOOK)), null);
        repo.push(first);
        repo.push(second);
        server.kill();
        server.again(true);
        assertCode(ErrorCode.REGISTRY_REJECTS, () -> repo.push(Bundles.good("meter", 0x5501, "2.0.0")));
        assertThat(fetched(repo, first)).isEqualTo(first);
        assertThat(health(repo).path("registry").path("status").asText()).isEqualTo("refused");
        assertThat(health(repo).path("status").asText()).isEqualTo("degraded");
        assertThat(repo.services()).hasSize(2);
        server.kill();
        server.again(false);
        repo.push(Bundles.good("meter", 0x5501, "2.0.0"));
        assertThat(health(repo).path("status").asText()).isEqualTo("up");
    }

    @Test
    void aBundleThatTheRegistryLostIsPutThereAgainFromTheCacheOrSaidToBeDamaged() throws Exception {
        Repo repo = open(settings("data").withRegistry(registry(400_000, LOOK)), null);
        repo.push(first);
        repo.push(second);
        Files.delete(server.blob(Repo.sha256(first)));
        Files.delete(server.blob(Repo.sha256(second)));
        // The first is not in the cache any more.
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(server.blob(Repo.sha256(second))).exists());
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(health(repo).path("damaged").path(0).asText()).isEqualTo(Repo.sha256(first)));
        assertThat(health(repo).path("status").asText()).isEqualTo("degraded");
        assertThat(repo.index().keySet()).containsExactly(repo.server.url() + path(second));
        assertCode(ErrorCode.STORAGE, () -> fetched(repo, first));
        repo.push(first);
        assertThat(fetched(repo, first)).isEqualTo(first);
        assertThat(repo.index()).hasSize(2);
        assertThat(health(repo).path("status").asText()).isEqualTo("up");
    }

    @Test
    void otherContentIsNeverServed() throws Exception {
        byte[] damaged = first.clone();
        damaged[first.length / 2] ^= 1;
        Repo repo = open(settings("data").withRegistry(registry(400_000, LOOK)), null);
        repo.push(first);
        repo.push(second);
        Files.write(server.blob(Repo.sha256(first)), damaged);
        assertCode(ErrorCode.STORAGE, () -> fetched(repo, first));
        assertThat(health(repo).path("damaged").path(0).asText()).isEqualTo(Repo.sha256(first));
        // The registry believes to have it, so it cannot be cured before it is removed there.
        assertCode(ErrorCode.REGISTRY_ANSWER, () -> repo.push(first));
        Files.delete(server.blob(Repo.sha256(first)));
        repo.push(first);
        assertThat(fetched(repo, first)).isEqualTo(first);
    }

    @Test
    void aTagThatSomebodyMovesIsMovedBackAndNobodyGoesByIt() throws Exception {
        Repo repo = repo("data");
        repo.push(first);
        try (Repo other = new Repo(settings("other"))) {
            // Another catalogue, the same place: nobody should do that.
            other.push(Bundles.good("meter", 0x5501, "1.0.0", payload(3)));
        }
        assertThat(fetched(repo, first)).isEqualTo(first);
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(Registries.tagged("oci://" + server.address() + "/grid")).containsExactly(Repo.sha256(first)));
    }

    @Test
    void aDirectoryTakesItsBundlesIntoTheRegistryAndIsNotOpenedWithoutIt() throws Exception {
        try (Repo repo = new Repo(Repo.settings(directory.resolve("data")))) {
            repo.push(first);
            repo.push(second);
        }
        server.kill();
        assertCode(ErrorCode.REGISTRY_AWAY, () -> new Repo(settings("data")));
        server.again(false);
        try (Repo repo = new Repo(settings("data"))) {
            assertThat(Registries.tagged("oci://" + server.address() + "/grid")).hasSize(2);
            assertThat(fetched(repo, first)).isEqualTo(first);
        }
        assertThat(directory.resolve("data/bundles")).isEmptyDirectory();
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> new Repo(Repo.settings(directory.resolve("data")))).withMessageContaining("EE-503").withMessageContaining("--bundles");
        Files.delete(directory.resolve("data/catalogue.json"));
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> new Repo(settings("data"))).withMessageContaining("EE-503").withMessageContaining("catalogue.json");
    }

    @Test
    void aMirrorMayHaveItsBundlesInARegistryToo() throws Exception {
        try (Repo upstream = new Repo(Repo.settings(directory.resolve("upstream")))) {
            upstream.push(first);
            Repo mirror = open(settings("mirror"), MirrorTest.following(upstream.server.url()));
            MirrorTest.soon(() -> assertThat(mirror.index()).hasSize(1));
            assertThat(Files.readAllBytes(server.blob(Repo.sha256(first)))).isEqualTo(first);
        }
    }

    @Test
    @Tag("long")
    void severalProcessesShareADatabaseAndARegistry() throws Exception {
        String url = Databases.fresh();
        List<Repo> both = Stream.of("one", "two").map(name -> open(settings(name).withDatabase(PostgresStore.Settings.of(url, null, CACHE)), null)).toList();
        both.get(0).push(first);
        both.get(1).push(second);
        for (Repo repo : both) {
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(repo.index()).hasSize(2));
            assertThat(fetched(repo, first)).isEqualTo(first);
            assertThat(fetched(repo, second)).isEqualTo(second);
        }
        assertThat(Databases.query(url, "SELECT sha256 FROM repository_bundle")).isEmpty();
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> new Repo(RepositorySettings.of(new InetSocketAddress("127.0.0.1", 0), directory.resolve("three"))
                .withDatabase(PostgresStore.Settings.of(url, null, CACHE)))).withMessageContaining("EE-501").withMessageContaining("--bundles");
    }
}
