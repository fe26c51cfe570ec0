package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.lab.PostgresServer;
import org.tamanoir.observatory.ObservatoryServer;
import org.tamanoir.observatory.ObservatorySettings;
import org.tamanoir.paths.plan.Measurement.Kind;
import org.tamanoir.paths.wire.Registration;
import org.tamanoir.paths.wire.SampleAnswer;
import org.tamanoir.paths.wire.SampleLine;

/** The same of SQLite, which has one table, and of PostgreSQL, which has one for each hour, day or month. */
@Timeout(120)
class SamplesAreKeptOnceAndForgottenTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String SESSION = "ping/be/a/b";
    private static final long DAY = 86_400_000;

    @TempDir
    private Path directory;
    private String url;

    private ObservatoryServer start(Duration keep) {
        return ObservatoryServer.start(ObservatorySettings.of(new InetSocketAddress("127.0.0.1", 0), directory.resolve("data")).withDatabase(url, null).withTimes(ObservatorySettings.SYNC, keep, keep));
    }

    private static SampleAnswer send(ObservatoryServer server, long time, long... numbers) {
        server.observatory().register("a", "me", new Registration("n", "h:1", null, "s", null));
        String body = LongStream.of(numbers).mapToObj(number -> new SampleLine("a", 1, number, SESSION, Kind.ROUND_TRIP, time + number, Map.of("rtt-median", 2.0)).json()).collect(Collectors.joining("\n"));
        return server.observatory().intake().take(body, "me", System.currentTimeMillis());
    }

    private static List<Long> kept(ObservatoryServer server) {
        return server.observatory().samples().series(SESSION, 0, Long.MAX_VALUE, 100).stream().map(each -> each.line().number()).toList();
    }

    /**
     * Wrong: a number that is kept again since its time is another, or stands in another part; a sample that never goes; a part that goes with samples that are not
     * old; and what an earlier version has kept.
     */
    @ParameterizedTest
    @ValueSource(strings = {"SQLite", "PostgreSQL"})
    void onEitherDatabase(String database) throws Exception {
        long now = System.currentTimeMillis() - 1000;
        if (database.equals("SQLite")) {
            try (ObservatoryServer server = start(ObservatorySettings.KEEP)) {
                assertThat(send(server, now - 4 * DAY, 1, 2).kept()).isEqualTo(2);
            }
            check(now);
            return;
        }
        String missing = PostgresServer.missing();
        Assumptions.assumeTrue(missing.isEmpty(), missing);
        try (PostgresServer postgres = new PostgresServer("127.0.0.1")) {
            url = "jdbc:postgresql://" + postgres.address() + "/postgres?user=tester";
            earlierVersion(now - 4 * DAY);
            check(now);
            assertThat(parts()).as("those of whole days are dropped, and what was there before them").hasSizeBetween(1, 2).noneMatch(part -> part.contains("before"));
        }
    }

    private void check(long now) {
        try (ObservatoryServer server = start(ObservatorySettings.KEEP)) {
            assertThat(kept(server)).containsExactly(2L, 1L);
            assertThat(send(server, now - 2 * DAY, 3, 1, 2, 2).kept()).isEqualTo(1);
            assertThat(send(server, now, 2, 5, 4, 3).kept()).as("2 and 3 are known, with whatever time").isEqualTo(2);
            assertThat(send(server, now - 2 * DAY, 1_000, 1, 5).kept()).as("numbers far from each other").isEqualTo(1);
            assertThat(send(server, now - 40 * DAY, 6).refused()).hasSize(1);
            assertThat(kept(server)).containsExactly(5L, 4L, 1_000L, 3L, 2L, 1L);
        }
        try (ObservatoryServer server = start(Duration.ofHours(1))) {
            await().atMost(PATIENCE).until(() -> kept(server).equals(List.of(5L, 4L)));
            assertThat(send(server, now, 4, 6, 5).kept()).as("after a restart").isEqualTo(1);
            assertThat(kept(server)).containsExactly(6L, 5L, 4L);
        }
    }

    /** A database as version 1 has left it. */
    private void earlierVersion(long time) throws Exception {
        Flyway.configure(ObservatoryServer.class.getClassLoader()).dataSource(url, "tester", null).locations("classpath:org/tamanoir/observatory/db").target("1").table("observatory_version")
                .placeholders(Map.of("serial", "BIGINT PRIMARY KEY")).load().migrate();
        try (Connection connection = DriverManager.getConnection(url); Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO theodolite VALUES (1, 'a', 'me', '{\"node\":\"n\",\"anep\":\"h:1\",\"software\":\"s\"}', 1)");
            statement.executeUpdate("INSERT INTO session VALUES (1, '" + SESSION + "')");
            for (int number : new int[] {1, 2}) {
                statement.executeUpdate("INSERT INTO sample VALUES (" + number + ", 1, 1, " + number + ", 1, 'round-trip', " + (time + number) + ", '{\"rtt-median\":2.0}')");
            }
        }
    }

    private List<String> parts() throws Exception {
        try (Connection connection = DriverManager.getConnection(url); Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'sample'::regclass")) {
            List<String> parts = new ArrayList<>();
            while (rows.next()) {
                parts.add(rows.getString(1));
            }
            return parts;
        }
    }
}
