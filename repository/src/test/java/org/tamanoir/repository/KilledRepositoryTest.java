package org.tamanoir.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.lab.PostgresServer;

/**
 * A repository that is killed at a random moment, again and again, while three publishers push and one of them retires: what was
 * acknowledged is there, what is visible is whole, and nothing else is. Of one in PostgreSQL the database is killed by turns, with all its processes.
 * {@code tests/run --sweeps} kills it more often.
 */
@Tag("long")
@ParameterizedClass
@EnumSource(Backend.class)
class KilledRepositoryTest {
    private static final boolean IS_SWEEP = Boolean.getBoolean("kill.sweep");
    private static final int PUBLISHERS = 3;
    private static final int PATIENCE_MILLIS = 30_000;

    @Parameter
    private Backend backend;
    @TempDir
    private Path directory;
    /** Null for a directory. */
    private PostgresServer database;
    /** What was acknowledged: name and version to SHA-256. */
    private final Map<String, String> published = new ConcurrentHashMap<>();
    private final Set<String> retired = ConcurrentHashMap.newKeySet();
    /** Retirements that were asked for and not answered: either state is right. */
    private final Set<String> undecided = ConcurrentHashMap.newKeySet();
    /** Bundles whose content was read after the start that followed their publication. */
    private final Set<String> read = new HashSet<>();
    private volatile boolean killed;

    @BeforeEach
    void startDatabase() {
        database = backend == Backend.POSTGRESQL ? Databases.start() : null;
    }

    @AfterEach
    void stopDatabase() {
        if (database != null) {
            database.close();
        }
    }

    private int kills() {
        return IS_SWEEP ? 25 : backend == Backend.DIRECTORY ? 4 : 2;
    }

    private RepositoryProcess process(Path data) throws IOException {
        return new RepositoryProcess(data, database == null ? backend.url(data) : database.url());
    }

    @Test
    void losesNothingAcknowledgedAndShowsNothingHalf() throws Exception {
        Path data = directory.resolve("data");
        Random random = new Random(20260101);
        int acknowledged = 0;
        int seen;
        for (int kill = 0; kill < kills(); kill++) {
            try (RepositoryProcess process = process(data)) {
                verify(process, data);
                verifyNothingElseIsKept(process, data);
                seen = published.size();
                killed = false;
                List<Thread> publishers = new ArrayList<>();
                for (int p = 0; p < PUBLISHERS; p++) {
                    int publisher = p;
                    int round = kill;
                    Thread thread = new Thread(() -> publish(process, publisher, round));
                    thread.start();
                    publishers.add(thread);
                }
                awaitTheInstant(random, kill, seen);
                killed = true;
                boolean isDatabase = database != null && kill % 4 < 2;
                if (isDatabase) {
                    database.killAll();
                } else {
                    process.kill();
                }
                for (Thread publisher : publishers) {
                    publisher.join();
                }
                if (isDatabase) {
                    database.again();
                    await().atMost(Duration.ofSeconds(30)).until(() -> "up".equals(process.http.json("/health").path("database").path("state").asText()));
                    verify(process, data);
                }
            }
            acknowledged += published.size() - seen;
        }
        // Once more every bundle, the oldest too.
        read.clear();
        try (RepositoryProcess process = process(data)) {
            verify(process, data);
            verifyNothingElseIsKept(process, data);
        }
        // Otherwise the kills hit a repository that was doing nothing.
        assertThat(acknowledged).isGreaterThanOrEqualTo(kills() / 2);
        assertThat(retired).isNotEmpty();
        System.out.println(backend + ": " + kills() + " kills, " + acknowledged + " acknowledged versions, " + retired.size() + " retired");
    }

    /**
     * Every other kill comes at a random instant, the ones between after a random number of acknowledgements: a busy machine may not get to
     * any in the time of an idle one. The first of these waits for a retirement too.
     */
    private void awaitTheInstant(Random random, int kill, int seen) throws InterruptedException {
        if (kill % 2 == 0) {
            Thread.sleep(20 + random.nextInt(800));
            return;
        }
        int enough = seen + 1 + random.nextInt(12);
        for (int i = 0; i < PATIENCE_MILLIS && (published.size() < enough || retired.isEmpty()); i++) {
            Thread.sleep(1);
        }
        Thread.sleep(random.nextInt(50));
    }

    /** Pushes one version after another until the repository is gone. */
    private void publish(RepositoryProcess process, int publisher, int round) {
        String name = "service-" + publisher;
        byte[] payload = new byte[200_000];
        new Random(round).nextBytes(payload);
        try {
            for (int i = 0; !killed; i++) {
                String version = round + "." + i + ".0";
                byte[] bundle = Bundles.good(name, 0x5500 + publisher, version, payload);
                JsonNode entry = Repo.push(process.http, bundle);
                published.put(name + " " + version, entry.path("sha256").asText());
                if (publisher == 0 && i % 2 == 1) {
                    undecided.add(name + " " + version);
                    process.http.delete("/services/" + name + "/" + version);
                    retired.add(name + " " + version);
                    undecided.remove(name + " " + version);
                }
            }
        } catch (AnepException e) {
            assertThat(e.code()).as(e.getMessage()).isIn(ErrorCode.REPOSITORY_UNREACHABLE, ErrorCode.DATABASE_AWAY);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void verify(RepositoryProcess process, Path data) throws Exception {
        JsonNode services = process.http.json("/services").path("services");
        List<JsonNode> entries = StreamSupport.stream(services.spliterator(), false).toList();
        Map<String, JsonNode> visible = entries.stream()
                .collect(Collectors.toMap(e -> e.path("name").asText() + " " + e.path("version").asText(), e -> e));

        published.forEach((version, sha256) -> assertThat(visible.get(version).path("sha256").asText()).as(version).isEqualTo(sha256));
        Set<String> shown = new TreeSet<>();
        for (Map.Entry<String, JsonNode> version : visible.entrySet()) {
            boolean isRetired = version.getValue().path("retired").asBoolean();
            assertThat(isRetired).as(version.getKey()).isEqualTo(retired.contains(version.getKey()) || isRetired && undecided.contains(version.getKey()));
            String file = version.getValue().path("sha256").asText() + ".jar";
            if (read.add(file)) {
                assertThat(Repo.sha256(process.http.bytes("/bundles/" + file, 1 << 20)) + ".jar").isEqualTo(file);
            }
            if (!isRetired) {
                shown.add(process.http.base() + "/bundles/" + file);
            }
            // What was seen once stays, acknowledged or not.
            published.put(version.getKey(), version.getValue().path("sha256").asText());
            if (isRetired) {
                retired.add(version.getKey());
            }
        }
        assertThat(Repo.index(process.http).keySet()).isEqualTo(shown);
        assertThat(process.http.json("/health").path("damaged")).isEmpty();
        undecided.clear();
    }

    /** What was put and never published is gone after a start, but in a registry. */
    private void verifyNothingElseIsKept(RepositoryProcess process, Path data) {
        assertThat(data.resolve("incoming")).isEmptyDirectory();
        if (backend == Backend.REGISTRY) {
            return;
        }
        List<String> kept = database == null ? backend.bundles(data) : Databases.query(database.url(), "SELECT sha256 FROM repository_bundle");
        assertThat(kept).hasSameSizeAs(process.http.json("/services").path("services").findValuesAsText("sha256"));
        if (database == null) {
            assertThat(data.resolve("damaged")).isEmptyDirectory();
        }
    }
}
