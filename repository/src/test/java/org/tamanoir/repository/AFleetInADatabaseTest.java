package org.tamanoir.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.http.fetch.HttpFetch.Fetched;
import org.tamanoir.lab.PostgresServer;
import org.tamanoir.repository.store.postgresql.PostgresStore;

/** What nodes have of several servers whose fleet is in PostgreSQL, and when that is away. */
class AFleetInADatabaseTest {
    private static final long CACHE = 64 << 20;
    @TempDir
    private Path caches;

    private Repo server(PostgresServer postgres, String name) {
        return new Repo(RepositorySettings.of(new InetSocketAddress("127.0.0.1", 0), caches.resolve(name)).withToken("secret")
                .withDatabase(PostgresStore.Settings.of(Databases.url(postgres, "postgres", "tester"), null, CACHE)));
    }

    @Test
    @Tag("long")
    void aNodeIsGivenNothingOlderByAnotherProcessAndKeepsWhatItHasWithoutTheDatabase() throws Exception {
        try (PostgresServer postgres = Databases.start(); Repo one = server(postgres, "one"); Repo two = server(postgres, "two")) {
            AFleetTest.apply(one, AFleetTest.state("1s"), "\"0\"");
            String before = one.http.ifChanged("/fleet/nodes/a", null, 1 << 20).etag();
            for (int i = 2; i < 8; i++) {
                Repo at = i % 2 == 0 ? one : two;
                Repo other = i % 2 == 0 ? two : one;
                AFleetTest.apply(at, AFleetTest.state(i + "s"), "\"" + (i - 1) + "\"");
                Fetched given = at.http.ifChanged("/fleet/nodes/a", before, 1 << 20);
                assertThat(given.body()).isPresent();
                assertThat(other.http.ifChanged("/fleet/nodes/a", given.etag(), 1 << 20).body()).as("at once at the other").isEmpty();
                assertThat(other.http.json("/fleet/status").path("generation").path("number").asInt()).isEqualTo(i);
                before = given.etag();
            }
            String had = before;
            String sha256 = AFleetTest.part(two, "a").path("sha256").asText();

            postgres.killAll();
            assertThat(two.http.ifChanged("/fleet/nodes/a", had, 1 << 20).body()).as("whoever has what this one knows need not wait").isEmpty();
            assertThat(two.http.post("/fleet/nodes/a/report", AFleetTest.report(sha256)).path("pollMillis").asInt()).isPositive();
            assertThatThrownBy(() -> two.http.ifChanged("/fleet/nodes/a", "\"of another process\"", 1 << 20)).as("and is told nothing that may be old").hasMessageStartingWith("EE-435");
            assertThatThrownBy(() -> AFleetTest.apply(two, AFleetTest.state("9s"), "\"7\"")).hasMessageStartingWith("EE-435");
            assertThat(two.http.json("/fleet/status").path("generation").path("number").asInt()).isEqualTo(7);

            postgres.again();
            await().atMost(Duration.ofSeconds(60)).ignoreExceptions().untilAsserted(() -> {
                JsonNode node = one.http.json("/fleet/status").path("nodes").path(0);
                assertThat(node.path("state").asText()).as("what the other has heard meanwhile").isEqualTo("HAS");
            });
            assertThat(AFleetTest.apply(one, AFleetTest.state("9s"), "\"7\"").path("changed").asBoolean()).isTrue();
        }
    }
}
