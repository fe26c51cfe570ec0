package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.LabRequirements;
import org.tamanoir.lab.PostgresServer;

/** A web server and curl, and a PostgreSQL server and psql, none of which knows of active nodes, with compression between them. */
@Tag("long")
class TheGatewayCarriesOrdinaryProgramsTest {
    private static final long DOWNLOAD = 30_000_000;
    private static final long UPLOAD = 10_000_000;
    private static final int ROWS = 10_000;
    private static final int STATEMENTS = 50;
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private static TwoSites sites;

    @BeforeAll
    static void open() throws IOException {
        sites = new TwoSites();
    }

    @AfterAll
    static void close() throws IOException {
        if (sites != null) {
            sites.close();
        }
    }

    private static void needsCurl() {
        if (!LabRequirements.has("curl") && LabRequirements.check().root()) {
            DebianPackages.install(List.of("curl", "ca-certificates"));
        }
        Assumptions.assumeTrue(LabRequirements.has("curl"), "curl is missing: apt-get install curl");
    }

    @Test
    void curlFetchesAndUploadsFilesByteForByteAndTheNodesCompressThem() throws Exception {
        needsCurl();
        int before = ended(sites.first()).size();
        int beforeUpload = ended(sites.second()).size();
        Path file = TestFile.halfCompressible(sites.directory().resolve("file"), DOWNLOAD);
        Path upload = TestFile.halfCompressible(sites.directory().resolve("upload"), UPLOAD);
        try (WebServer atSecond = new WebServer(TwoSites.SECOND_HOST, file); WebServer atFirst = new WebServer(TwoSites.FIRST_HOST, file)) {
            int toSecond = sites.gateway(sites.first(), atSecond.address(), "compression");
            int toFirst = sites.gateway(sites.second(), atFirst.address(), "compression");

            Path fetched = sites.directory().resolve("fetched");
            curl("--output", fetched.toString(), "http://127.0.0.1:" + toSecond + "/file");
            assertThat(Files.size(fetched)).isEqualTo(DOWNLOAD);
            assertThat(TestFile.sha256(fetched)).isEqualTo(TestFile.sha256(file));
            JsonNode down = next(sites.first(), before);
            assertThat(down.path("bytesBack").asLong()).as("octets between the nodes").isBetween(DOWNLOAD / 2, DOWNLOAD * 6 / 10);
            assertThat(down.path("bytesReturned").asLong()).as("octets to the gateway, packets' headers too").isGreaterThan(DOWNLOAD);

            assertThat(curl("--upload-file", upload.toString(), "http://127.0.0.1:" + toFirst + "/upload"))
                    .isEqualTo(TestFile.sha256(upload));
            JsonNode up = next(sites.second(), beforeUpload);
            assertThat(up.path("bytesOut").asLong()).as("octets between the nodes").isBetween(UPLOAD / 2, UPLOAD * 6 / 10);
        }
    }

    @Test
    void oneProxyLeadsCurlToManyServersBySocksAndByConnectAndSaysWhyItDoesNot() throws Exception {
        needsCurl();
        Path file = TestFile.halfCompressible(sites.directory().resolve("fetched-by-proxy"), 1_000_000);
        try (WebServer one = new WebServer(TwoSites.SECOND_HOST, file); WebServer other = new WebServer(TwoSites.SECOND_HOST, file)) {
            int before = ended(sites.first()).size();
            String port = one.address().substring(one.address().indexOf(':') + 1);
            // The check at the start has the service fetched, and sees that the server answers.
            int proxy = sites.proxy(sites.first(), "compression", "--to", one.address(), "--allow", TwoSites.SECOND_HOST, "--allow", "198.51.100.1:80");
            Path fetched = sites.directory().resolve("by-proxy");
            curl("--output", fetched.toString(), "--proxy", "socks5://127.0.0.1:" + proxy, "http://" + one.address() + "/file");
            assertThat(TestFile.sha256(fetched)).isEqualTo(TestFile.sha256(file));
            curl("--output", fetched.toString(), "--proxy", "http://127.0.0.1:" + proxy, "--proxytunnel", "http://" + other.address() + "/file");
            assertThat(TestFile.sha256(fetched)).isEqualTo(TestFile.sha256(file));
            List<JsonNode> streams = Awaitility.await().until(() -> ended(sites.first()), now -> now.size() >= before + 3);
            assertThat(streams.get(0).path("destination").asText()).isEqualTo(other.address());
            assertThat(streams.get(0).path("bytesReturned").asLong()).as("octets that the node counted").isGreaterThan(1_000_000);

            // 97 is a refusal in the proxy's handshake, with the reply of RFC 1928: the server refuses, no route leads there, the rules forbid it.
            assertThat(failed("socks5://127.0.0.1:" + proxy, "http://" + TwoSites.SECOND_HOST + ":1/")).startsWith("97 ").contains("(5)");
            assertThat(failed("socks5://127.0.0.1:" + proxy, "http://198.51.100.1/")).startsWith("97 ").contains("(3)");
            assertThat(failed("socks5h://127.0.0.1:" + proxy, "http://localhost:" + port + "/file")).startsWith("97 ").contains("(2)");
            assertThat(failed("http://127.0.0.1:" + proxy, "https://198.51.100.1/")).startsWith("56 ").contains("403");
        }
    }

    /** curl's exit code, and its words. */
    private static String failed(String proxy, String url) {
        Command.Result result = Command.tryRun(List.of("curl", "--silent", "--show-error", "--noproxy", "", "--proxy", proxy, url), null, PATIENCE);
        return result.exit() + " " + result.errors();
    }

    /** What the server answered; fails with curl's own words if curl does. */
    private static String curl(String... arguments) {
        List<String> command = new ArrayList<>(List.of("curl", "--silent", "--show-error", "--fail", "--noproxy", List.of(arguments).contains("--proxy") ? "" : "*"));
        command.addAll(List.of(arguments));
        return Command.run(command, null, PATIENCE).output();
    }

    /** The streams that have entered at a site and ended, newest first. */
    private static List<JsonNode> ended(TwoSites.Site site) {
        return site.ended().stream().filter(stream -> stream.path("position").asText().equals("ingress")).toList();
    }

    /** The next of them, once the node has seen its end. */
    private static JsonNode next(TwoSites.Site site, int before) {
        return Awaitility.await().until(() -> ended(site), streams -> streams.size() > before).get(0);
    }

    /** A session with requests and answers of all sizes, both ends of which wait for each other: nothing may be held back on the way. */
    @Test
    @Tag("lab")
    void tenThousandRowsAreCopiedInAndReadBackTheSameByPsql() throws Exception {
        String missing = PostgresServer.missing();
        Assumptions.assumeTrue(missing.isEmpty(), missing);
        int before = ended(sites.first()).size();
        try (PostgresServer server = new PostgresServer(TwoSites.SECOND_HOST)) {
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
            JsonNode stream = next(sites.first(), before);
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
