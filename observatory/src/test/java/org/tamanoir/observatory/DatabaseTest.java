package org.tamanoir.observatory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.paths.plan.Measurement.Kind;

/** A database that is gone, full, newer or no database: each is said, and nothing that was acknowledged is lost. */
@Timeout(120)
class DatabaseTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private static ObservatoryServer start(Path data) {
        return ObservatoryServer.start(ObservatorySettings.of(new InetSocketAddress("127.0.0.1", 0), data));
    }

    private static Client registered(ObservatoryServer server) {
        Client client = new Client(server.url(), null);
        assertThat(client.ask("PUT", "/v1/theodolites/astro", Grid.registration("astro")).status()).isEqualTo(204);
        return client;
    }

    private static String samples(long first, int count, int padding) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            List<Object> values = new ArrayList<>(List.of("rtt-median", 2));
            for (int more = 0; more < padding; more++) {
                values.addAll(List.of("more-" + more, 0.123456789 + more));
            }
            lines.add(Grid.line("ping/be/astro/med", first + i, Kind.ROUND_TRIP, System.currentTimeMillis(), values.toArray()));
        }
        return Grid.lines(lines.toArray(String[]::new));
    }

    @Test
    void aNewerOneIsNotTouched() throws Exception {
        Path data = directory.resolve("data");
        start(data).close();
        String url = "jdbc:sqlite:" + data.resolve("observatory.sqlite");
        try (Connection connection = DriverManager.getConnection(url); Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO observatory_version SELECT 999, '999', 'of tomorrow', type, 'V999__of_tomorrow.sql', 1, installed_by, installed_on, 1, 1 FROM observatory_version WHERE installed_rank = 1");
        }
        assertThatThrownBy(() -> start(data)).hasMessage("EE-785 the database has version 999 (of tomorrow), which this program does not know");
        // The directory has been given back.
        assertThatThrownBy(() -> start(data)).hasMessageStartingWith("EE-785");
    }

    @Test
    @Tag("long")
    void oneThatIsNoDatabaseOrCannotBeReachedIsSaid() throws Exception {
        Path data = Files.createDirectory(directory.resolve("data"));
        Files.writeString(data.resolve("observatory.sqlite"), "no database, but a text that is long enough to be read as a header of one. ".repeat(20));
        assertThatThrownBy(() -> start(data)).hasMessageStartingWith("EE-783 ");
        ObservatorySettings nowhere = ObservatorySettings.of(new InetSocketAddress("127.0.0.1", 0), directory.resolve("other")).withDatabase("jdbc:postgresql://127.0.0.1:1/none", null);
        assertThatThrownBy(() -> ObservatoryServer.start(nowhere)).hasMessageStartingWith("EE-783 ");
        assertThatThrownBy(() -> ObservatoryServer.start(nowhere.withDatabase("jdbc:mysql://localhost/none", null))).hasMessageStartingWith("EE-501 ");
    }

    @Test
    void oneProcessHasADirectory() {
        try (ObservatoryServer server = start(directory.resolve("data"))) {
            assertThat(server.address().getPort()).isPositive();
            assertThatThrownBy(() -> start(directory.resolve("data"))).hasMessageContaining("EE-503").hasMessageContaining("another process is using it");
        }
    }

    /** Wrong: an acknowledgement of what lives in a file without a name, which the next start does not find. */
    @Test
    @Tag("long")
    void oneThatIsRemovedAcknowledgesNothing() throws Exception {
        Path data = directory.resolve("data");
        try (ObservatoryServer server = start(data)) {
            Client client = registered(server);
            assertThat(client.ask("POST", "/v1/samples", samples(1, 1, 0)).status()).isEqualTo(200);
            Files.move(data.resolve("observatory.sqlite"), directory.resolve("moved"));
            Client.Answer answer = client.ask("POST", "/v1/samples", samples(2, 1, 0));
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.error()).startsWith("EE-783").contains("is gone");
            await().atMost(PATIENCE).until(() -> client.get("/health").json().path("status").asText().equals("degraded"));
            assertThat(client.get("/v1/costs?from=astro&to=med").status()).as("from memory").isEqualTo(200);
        }
    }

    @Test
    @Tag("lab")
    void oneThatIsFullAcknowledgesNothingAndGoesOnWhenThereIsRoom() throws Exception {
        Assumptions.assumeTrue((int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0, "needs root, for a tmpfs of its own");
        Path disk = Files.createDirectory(directory.resolve("disk"));
        assertThat(run("mount", "-t", "tmpfs", "-o", "size=2m", "tamanoir-test", disk.toString())).isZero();
        try (ObservatoryServer server = start(disk.resolve("data"))) {
            Client client = registered(server);
            int kept = 0;
            Client.Answer answer = client.ask("POST", "/v1/samples", samples(1, 200, 20));
            while (answer.status() == 200) {
                kept += 200;
                assertThat(kept).isLessThan(100_000);
                answer = client.ask("POST", "/v1/samples", samples(kept + 1, 200, 20));
            }
            assertThat(answer.status()).as(answer.body()).isEqualTo(507);
            assertThat(answer.error()).startsWith("EE-784 the database has no room");
            assertThat(run("mount", "-o", "remount,size=32m", disk.toString())).isZero();
            assertThat(client.ask("POST", "/v1/samples", samples(kept + 1, 200, 20)).json().path("kept").asInt()).isEqualTo(200);
            assertThat(client.get("/v1/paths/astro/med?samples=10000").json().path("sessions").path("ping/be/astro/med")).hasSize(kept + 200);
        } finally {
            assertThat(run("umount", disk.toString())).isZero();
        }
    }

    private static int run(String... command) throws Exception {
        Process process = new ProcessBuilder(List.of(command)).inheritIO().start();
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    @Test
    @Tag("long")
    void oldSamplesAreForgotten() throws Exception {
        Path data = directory.resolve("data");
        ObservatorySettings settings = ObservatorySettings.of(new InetSocketAddress("127.0.0.1", 0), data);
        try (ObservatoryServer server = ObservatoryServer.start(settings)) {
            Client client = registered(server);
            long old = System.currentTimeMillis() - Duration.ofHours(3).toMillis();
            assertThat(client.ask("POST", "/v1/samples", Grid.lines(Grid.line("ping/be/astro/med", 1, Kind.ROUND_TRIP, old, "rtt-median", 2))).status()).isEqualTo(200);
            assertThat(client.ask("POST", "/v1/samples", samples(2, 1, 0)).status()).isEqualTo(200);
        }
        try (ObservatoryServer server = ObservatoryServer.start(settings.withTimes(ObservatorySettings.SYNC, Duration.ofHours(1), Duration.ofHours(1)))) {
            await().atMost(PATIENCE).until(() -> server.observatory().samples().series("ping/be/astro/med", 0, Long.MAX_VALUE, 10).size() == 1);
        }
    }
}
