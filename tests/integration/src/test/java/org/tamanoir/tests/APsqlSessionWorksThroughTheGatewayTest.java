package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.benchmarks.process.PostgresServer;
import org.tamanoir.lab.Command;

/** A session with requests and answers of all sizes, both ends of which wait for each other: nothing may be held back on the way. */
@Tag("lab")
class APsqlSessionWorksThroughTheGatewayTest {
    private static final int ROWS = 10_000;
    private static final int STATEMENTS = 50;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @BeforeEach
    void needsPostgres() {
        String missing = PostgresServer.missing();
        Assumptions.assumeTrue(missing.isEmpty(), missing);
    }

    @Test
    void tenThousandRowsAreCopiedInAndReadBackTheSame() throws Exception {
        try (TwoSites sites = new TwoSites(); PostgresServer server = new PostgresServer(TwoSites.SECOND_HOST)) {
            int port = sites.gateway(sites.first(), server.address(), "monitoring,compression");
            String rows = rows();
            Path readBack = sites.directory().resolve("rows");
            StringBuilder script = new StringBuilder("CREATE TABLE measured (id int PRIMARY KEY, name text, octets bytea);\n"
                    + "COPY measured FROM STDIN;\n" + rows + "\\.\n");
            for (int i = 0; i < STATEMENTS; i++) {
                script.append("SELECT count(*) FROM measured WHERE id % ").append(STATEMENTS).append(" = ").append(i).append(";\n");
            }
            script.append("\\o ").append(readBack).append("\nCOPY (SELECT * FROM measured ORDER BY id) TO STDOUT;\n");

            Command.Result session = Command.run(List.of("psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align",
                    "--set", "ON_ERROR_STOP=1", "--host", "127.0.0.1", "--port", Integer.toString(port), "--username", "tester",
                    "--dbname", "postgres"), script.toString(), PATIENCE);

            assertThat(session.errors()).isEmpty();
            assertThat(session.output().lines()).hasSize(STATEMENTS).containsOnly(Integer.toString(ROWS / STATEMENTS));
            assertThat(Files.readString(readBack)).isEqualTo(rows);
            JsonNode stream = Awaitility.await()
                    .until(() -> sites.first().ended().stream().findFirst().orElse(null), ended -> ended != null);
            assertThat(stream.path("services")).hasSize(2);
            assertThat(stream.path("bytesOut").asLong()).as("octets between the nodes, compressed").isBetween(1L, (long) rows.length());
        }
    }

    /** Rows as COPY writes them: half of each is words, half noise. */
    private static String rows() {
        Random random = new Random(5432);
        StringBuilder rows = new StringBuilder();
        for (int id = 0; id < ROWS; id++) {
            rows.append(id).append("\tthe quick brown fox jumps over measurement ").append(id % 97).append("\t\\\\x");
            for (int i = random.nextInt(8); i >= 0; i--) {
                rows.append(String.format("%016x", random.nextLong()));
            }
            rows.append('\n');
        }
        return rows.toString();
    }
}
