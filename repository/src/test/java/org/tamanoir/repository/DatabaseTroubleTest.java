package org.tamanoir.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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
import java.util.List;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.FreePort;
import org.tamanoir.lab.PostgresServer;
import org.tamanoir.repository.store.postgresql.PostgresStore;

/** Whatever is wrong with the database: what is known is served, what is asked for gets a code, and nothing is lost. */
class DatabaseTroubleTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final long CACHE = 64 << 20;
    private static PostgresServer server;

    @TempDir
    private Path directory;
    private final List<Repo> repos = new ArrayList<>();
    private String url;
    private final byte[] first = Bundles.good("meter", 0x5501, "1.0.0");

    @BeforeAll
    static void startServer() {
        server = Databases.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @AfterEach
    void stop() {
        repos.forEach(Repo::close);
    }

    private Repo repo(String at, String password) {
        Repo repo = new Repo(RepositorySettings.of(new InetSocketAddress("127.0.0.1", 0), directory.resolve("process" + repos.size()))
                .withDatabase(PostgresStore.Settings.of(at, password, CACHE)));
        repos.add(repo);
        return repo;
    }

    private Repo repo(String at) {
        return repo(at, null);
    }

    private String database(String name) {
        Databases.run(server.url(), "CREATE DATABASE " + name);
        url = Databases.url(server, name, "tester");
        return url;
    }

    private static void assertCode(ErrorCode code, ThrowingCallable call) {
        assertThatExceptionOfType(AnepException.class).isThrownBy(call).satisfies(e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
    }

    private static JsonNode database(Repo repo) {
        return repo.http.json("/health").path("database");
    }

    private static void awaitState(Repo repo, String state) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(50)).untilAsserted(() -> assertThat(database(repo).path("state").asText()).isEqualTo(state));
        assertThat(repo.http.json("/health").path("status").asText()).isEqualTo(state.equals("up") ? "up" : "degraded");
    }

    /** What a client sees that is told to come again. */
    private static HttpResponse<String> asked(Repo repo, String method, String path, byte[] body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(repo.server.url() + path)).timeout(PATIENCE)
                .method(method, body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofByteArray(body)).build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    }

    private static void assertAgainLater(HttpResponse<String> response, ErrorCode code) throws Exception {
        assertThat(new ObjectMapper().readTree(response.body()).path("code").asText()).as(response.body()).isEqualTo(code.toString());
        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.headers().firstValueAsLong("Retry-After").orElseThrow()).isBetween(1L, 60L);
    }

    private void assertServesWhatItHas(Repo repo, String tag) {
        assertThat(repo.http.ifChanged("/index.xml", null, 1 << 20).etag()).isEqualTo(tag);
        assertThat(repo.http.bytes("/bundles/" + Repo.sha256(first) + ".jar", 1 << 20)).isEqualTo(first);
    }

    @Test
    @Tag("long")
    void awayThenReadOnlyThenBack() throws Exception {
        Repo repo = repo(database("away"));
        repo.push(first);
        Repo other = repo(url);
        byte[] elsewhere = Bundles.good("meter", 0x5501, "1.1.0");
        other.push(elsewhere);
        byte[] next = Bundles.good("meter", 0x5501, "2.0.0");
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(repo.index()).hasSize(2));
        String tag = repo.http.ifChanged("/index.xml", null, 1 << 20).etag();

        server.killAll();
        awaitState(repo, "away");
        assertServesWhatItHas(repo, tag);
        assertAgainLater(asked(repo, "PUT", "/bundles", next), ErrorCode.DATABASE_AWAY);
        assertAgainLater(asked(repo, "DELETE", "/services/meter/1.0.0", null), ErrorCode.DATABASE_AWAY);
        assertAgainLater(asked(repo, "GET", "/bundles/" + Repo.sha256(elsewhere) + ".jar", null), ErrorCode.DATABASE_AWAY);
        assertThat(repo.http.json("/health").path("damaged")).as("what cannot be told now is not damaged").isEmpty();
        assertCode(ErrorCode.DATABASE_AWAY, () -> repo(url));
        // One that follows has what can be had, and takes nothing for refused.
        Repo mirror = new Repo(Repo.settings(directory.resolve("mirror")), MirrorTest.following(repo.server.url()));
        repos.add(mirror);
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(mirror.http.json("/health").path("mirror").path("state").asText()).isEqualTo("unreachable"));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(mirror.index()).hasSize(1));
        assertThat(mirror.http.json("/health").path("mirror").path("refused")).isEmpty();

        server.again("default_transaction_read_only=on");
        awaitState(repo, "read-only");
        assertServesWhatItHas(repo, tag);
        assertAgainLater(asked(repo, "PUT", "/bundles", next), ErrorCode.DATABASE_READ_ONLY);
        assertThat(repo.http.bytes("/bundles/" + Repo.sha256(elsewhere) + ".jar", 1 << 20)).isEqualTo(elsewhere);
        assertThat(repo(url).services()).as("of one that starts now").isEqualTo(repo.services());

        server.stop();
        server.again();
        awaitState(repo, "up");
        other.push(next);
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(repo.index()).hasSize(3));
        assertThat(data(repo, "incoming")).isEmptyDirectory();
    }

    private Path data(Repo repo, String name) {
        return directory.resolve("process" + repos.indexOf(repo)).resolve(name);
    }

    /** Its connections stay open, and nobody answers. */
    @Tag("sweep")
    @Test
    void hanging() throws Exception {
        Repo repo = repo(database("hanging"));
        repo.push(first);
        String tag = repo.http.ifChanged("/index.xml", null, 1 << 20).etag();
        server.pause();
        try {
            awaitState(repo, "away");
            assertServesWhatItHas(repo, tag);
            assertAgainLater(asked(repo, "PUT", "/bundles", Bundles.good("meter", 0x5501, "1.1.0")), ErrorCode.DATABASE_AWAY);
        } finally {
            server.resume();
        }
        awaitState(repo, "up");
        repo.push(Bundles.good("meter", 0x5501, "1.1.0"));
    }

    /** A site's way to live on: the URL names both, and the standby is promoted when the primary is lost. */
    @Tag("sweep")
    @Test
    void lostForGoodWithAStandbyThatIsPromoted() throws Exception {
        try (PostgresServer primary = Databases.start(); PostgresServer standby = PostgresServer.standbyOf(primary)) {
            String both = "jdbc:postgresql://" + primary.address() + "," + standby.address() + "/postgres?user=tester&targetServerType=preferPrimary&hostRecheckSeconds=1";
            Databases.run(primary.url(), "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()");
            Repo repo = repo(both);
            repo.push(first);
            assertThat(repo(standby.url()).services()).as("started on a standby").hasSize(1);
            primary.killAll();
            awaitState(repo, "read-only");
            assertAgainLater(asked(repo, "PUT", "/bundles", Bundles.good("meter", 0x5501, "1.1.0")), ErrorCode.DATABASE_READ_ONLY);
            standby.promote();
            Databases.run(standby.url(), "ALTER SYSTEM SET synchronous_standby_names = ''", "SELECT pg_reload_conf()");
            awaitState(repo, "up");
            repo.push(Bundles.good("meter", 0x5501, "1.1.0"));
            assertThat(repo.index()).hasSize(2);
            repos.forEach(Repo::close);
            repos.clear();
        }
    }

    @Test
    @Tag("long")
    void changedByANewerProgram() throws Exception {
        Repo repo = repo(database("newer"));
        repo.push(first);
        String tag = repo.http.ifChanged("/index.xml", null, 1 << 20).etag();
        Databases.run(url, "INSERT INTO repository_version SELECT installed_rank + 1, '99', 'of another time', type, 'V99__later.sql', checksum, installed_by, installed_on, execution_time, success"
                + " FROM repository_version ORDER BY installed_rank DESC LIMIT 1");
        assertCode(ErrorCode.DATABASE_AHEAD, () -> repo.push(Bundles.good("meter", 0x5501, "1.1.0")));
        awaitState(repo, "newer");
        assertServesWhatItHas(repo, tag);
        assertCode(ErrorCode.DATABASE_AHEAD, () -> repo(url));
        Databases.run(url, "DELETE FROM repository_version WHERE version = '99'");
        repo.push(Bundles.good("meter", 0x5501, "1.1.0"));
    }

    @Test
    @Tag("long")
    void closedToUs() throws Exception {
        database("closed");
        repo(url).push(first);
        assertCode(ErrorCode.DATABASE_REFUSES, () -> repo(Databases.url(server, "closed", "nobody")));
        assertCode(ErrorCode.DATABASE_REFUSES, () -> repo(Databases.url(server, "missing", "tester")));
        assertCode(ErrorCode.DATABASE_AWAY, () -> repo("jdbc:postgresql://127.0.0.1:" + FreePort.onLoopback() + "/closed?user=tester"));
        assertCode(ErrorCode.BAD_CONFIGURATION, () -> repo("postgresql://127.0.0.1/closed"));

        Path access = server.directory().resolve("data/pg_hba.conf");
        Files.writeString(access, "host all ada 127.0.0.1/32 scram-sha-256\n" + Files.readString(access));
        Databases.run(url, "CREATE ROLE ada LOGIN PASSWORD 'right'", "SELECT pg_reload_conf()");
        String asAda = Databases.url(server, "closed", "ada");
        await().atMost(PATIENCE).untilAsserted(() -> assertCode(ErrorCode.DATABASE_REFUSES, () -> repo(asAda, "wrong")));
        assertThatExceptionOfType(AnepException.class).as("rights").isThrownBy(() -> repo(asAda, "right")).withMessageContaining("EE-439").withMessageContaining("denied");
        Databases.run(url, "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ada");
        Repo repo = repo(asAda, "right");
        repo.push(Bundles.good("meter", 0x5501, "1.1.0"));

        Databases.run(url, "REVOKE ALL ON repository_state FROM ada");
        awaitState(repo, "refused");
        assertThat(repo.index()).hasSize(2);
        assertCode(ErrorCode.DATABASE_REFUSES, () -> repo.push(Bundles.good("meter", 0x5501, "1.2.0")));
    }

    @Test
    @Tag("long")
    void withRowsThatMakeNoSense() throws Exception {
        Repo repo = repo(database("senseless"));
        repo.push(first);
        Databases.run(url, "BEGIN; UPDATE repository_release SET version = 'one'; UPDATE repository_state SET mark = gen_random_uuid(); COMMIT");
        awaitState(repo, "refused");
        assertThat(repo.index()).hasSize(1);
        assertCode(ErrorCode.DATABASE_REFUSES, () -> repo(url));
        Databases.run(url, "UPDATE repository_release SET version = '1.0.0'");
        awaitState(repo, "up");
        Databases.run(url, "DELETE FROM repository_state");
        awaitState(repo, "refused");
        assertCode(ErrorCode.DATABASE_REFUSES, () -> repo(url));
    }

    @Tag("lab")
    @Test
    void full() throws Exception {
        Assumptions.assumeTrue((int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0, "needs root, for a tmpfs of its own");
        Path small = Files.createDirectory(server.directory().resolve("small"));
        Command.run(List.of("mount", "-t", "tmpfs", "-o", "size=6m,mode=777", "tamanoir-test", small.toString()), null, PATIENCE);
        try {
            Files.setOwner(small, Files.getOwner(server.directory()));
            Repo repo = repo(database("small"));
            repo.push(first);
            String tag = repo.http.ifChanged("/index.xml", null, 1 << 20).etag();
            Databases.run(url, "CREATE TABLESPACE small LOCATION '" + small + "'", "ALTER TABLE repository_chunk SET TABLESPACE small");
            byte[] payload = new byte[8_000_000];
            new Random(1).nextBytes(payload);
            HttpResponse<String> refused = asked(repo, "PUT", "/bundles", Bundles.good("meter", 0x5501, "1.1.0", payload));
            assertThat(refused.body()).contains(ErrorCode.DATABASE_NO_ROOM.toString());
            assertThat(refused.statusCode()).isEqualTo(507);
            awaitState(repo, "full");
            assertServesWhatItHas(repo, tag);
            Command.run(List.of("mount", "-o", "remount,size=40m", small.toString()), null, PATIENCE);
            assertThat(Databases.query(url, "SELECT sha256 FROM repository_bundle")).containsExactly(Repo.sha256(first));
            repo.push(Bundles.good("meter", 0x5501, "1.2.0"));
            awaitState(repo, "up");
            repo.close();
            Databases.run(server.url(), "DROP DATABASE small WITH (FORCE)", "DROP TABLESPACE small");
        } finally {
            repos.forEach(Repo::close);
            Command.run(List.of("umount", "--lazy", small.toString()), null, PATIENCE);
        }
    }

    @Test
    @Tag("long")
    void restoredFromABackupOfEarlier() throws Exception {
        Repo repo = repo(database("restored"));
        repo.push(first);
        repo.push(Bundles.good("meter", 0x5501, "1.1.0"));
        Databases.run(url, "BEGIN; DELETE FROM repository_release WHERE version = '1.1.0'; UPDATE repository_state SET revision = revision - 1, mark = gen_random_uuid(); COMMIT");
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(repo.index()).hasSize(1));
        repo.push(Bundles.good("meter", 0x5501, "1.1.0", new byte[10]));
        assertThat(repo.index()).hasSize(2);
        // Another process was faster, so that the revision is the same and what it tells of is not.
        Databases.run(url, "BEGIN; DELETE FROM repository_release WHERE version = '1.1.0'; UPDATE repository_state SET mark = gen_random_uuid(); COMMIT");
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(repo.services()).hasSize(1));
    }
}
