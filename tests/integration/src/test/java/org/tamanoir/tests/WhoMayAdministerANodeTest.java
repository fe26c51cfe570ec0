package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.node.Node;
import org.tamanoir.node.manage.configuration.NodeConfiguration;
import org.tamanoir.settings.Settings;

/** The user of the node on its socket, and over TCP who proves a role; what they change is written down. */
class WhoMayAdministerANodeTest {
    private static final Map<String, String> ROUTE = Map.of("prefix", "127.0.0.0/9", "target", "direct");

    @TempDir
    private Path directory;

    private Settings settings() throws IOException {
        Files.writeString(directory.resolve("operators"), "strong\n");
        Files.writeString(directory.resolve("readers"), "weak\n");
        Path publishers = Files.writeString(directory.resolve("publishers.pem"), new Keyring(Files.createTempDirectory(directory, "keys")).add("alice")
                .certificate("alice"));
        return Settings.none().set("listen", "127.0.0.1:0").set("trust", publishers).set("data", directory.resolve("node")).set("threads", 1);
    }

    private static HttpFetch fetch(String url, String token) {
        return HttpFetch.of(url, ErrorCode.UNREACHABLE).token(token);
    }

    private String socket() {
        return "unix:" + directory.resolve("node/admin.sock");
    }

    @Test
    void withoutAnAddressThereIsTheSocketAlone() throws IOException {
        Files.createDirectory(directory.resolve("node"), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        try (Node node = Node.start(NodeConfiguration.of(settings()))) {
            assertThat(node.adminUrl()).isEqualTo(socket());
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("node")))).isEqualTo("rwx------");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("node/admin.sock")))).isEqualTo("rw-------");
            fetch(socket(), null).putJson("/routes", ROUTE);
            assertThat(CommandLineTool.run("node", "routes", "--node", node.adminUrl()).output()).contains("127.0.0.0/9");
            JsonNode line = audit().get(0);
            assertThat(line.path("who").asText()).isEqualTo("user " + Files.getOwner(Path.of("/proc/self")).getName());
            assertThat(line.path("from").asText()).isEqualTo("unix");
            assertThat(line.path("did").asText()).isEqualTo("PUT /routes");
            assertThat(line.path("with").asText()).contains("127.0.0.0/9");
            assertThat(line.path("status").asInt()).isEqualTo(200);
        }
        assertThat(directory.resolve("node/admin.sock")).doesNotExist();
    }

    /** Every user of the machine, and a stream that is delivered to loopback, reaches such a port. */
    @Test
    void overTcpNobodyIsBelievedForBeingOnThisMachine() throws IOException {
        assertThatThrownBy(() -> Node.start(NodeConfiguration.of(settings().set("admin", "127.0.0.1:0")))).hasMessageStartingWith("EE-501 admin:");
        Settings settings = settings().set("admin", "127.0.0.1:0").set("admin-token-file", directory.resolve("operators"))
                .set("admin-roles", Map.of("read", Map.of("token-file", directory.resolve("readers").toString())));
        try (Node node = Node.start(NodeConfiguration.of(settings))) {
            assertThat(node.adminUrl()).startsWith("http://127.0.0.1:");
            for (String wrong : new String[] {null, "", "guessed"}) {
                assertThatThrownBy(() -> fetch(node.adminUrl(), wrong).json("/status")).hasMessageStartingWith("EE-406");
            }
            assertThatThrownBy(() -> fetch(node.adminUrl(), "guessed").putJson("/routes", ROUTE)).hasMessageStartingWith("EE-406");

            assertThat(fetch(node.adminUrl(), "weak").json("/status").path("health").path("status").asText()).isEqualTo("ok");
            assertThatThrownBy(() -> fetch(node.adminUrl(), "weak").putJson("/routes", ROUTE)).isInstanceOf(AnepException.class)
                    .hasMessageStartingWith("EE-414 token to read");
            fetch(node.adminUrl(), "strong").putJson("/routes", ROUTE);
            assertThat(fetch(socket(), null).json("/routes").path("routes").has("127.0.0.0/9")).isTrue();
        }
        List<JsonNode> acts = audit();
        assertThat(acts).extracting(act -> act.path("who").asText() + " " + act.path("status").asInt())
                .containsExactly("nobody known 401", "token to read 403", "token to operate 200");
        assertThat(Files.readString(directory.resolve("node/audit.log"))).doesNotContain("strong", "weak", "guessed");
    }

    /** Strangers can neither fill the disk nor push out what operators did. */
    @Test
    void theAuditLogIsBoundedAndStrangersAreCounted() throws IOException {
        Settings settings = settings().set("admin", "127.0.0.1:0").set("admin-token-file", directory.resolve("operators"));
        try (Node node = Node.start(NodeConfiguration.of(settings))) {
            HttpFetch operator = fetch(node.adminUrl(), "strong");
            HttpFetch stranger = fetch(node.adminUrl(), "guessed");
            long begun = System.nanoTime();
            for (int i = 0; i < 50; i++) {
                assertThatThrownBy(() -> stranger.delete("/routes?prefix=x")).hasMessageStartingWith("EE-406");
            }
            long seconds = (System.nanoTime() - begun) / 1_000_000_000L;
            operator.putJson("/routes", ROUTE);
            List<JsonNode> lines = audit();
            assertThat(lines.size()).as("one stranger a second, and the operator").isLessThanOrEqualTo((int) seconds + 3);
            assertThat(lines.size() - 1 + lines.stream().mapToInt(line -> line.path("strangersLeftOut").asInt()).sum()).as("strangers").isEqualTo(50);

            Path log = directory.resolve("node/audit.log");
            byte[] full = new byte[(1 << 20) - 10];
            for (int i = 0; i < 7; i++) {
                Files.write(log, full);
                operator.putJson("/routes", ROUTE);
            }
            try (var files = Files.list(directory.resolve("node"))) {
                assertThat(files.map(file -> file.getFileName().toString()).filter(name -> name.startsWith("audit.log")))
                        .containsExactlyInAnyOrder("audit.log", "audit.log.1", "audit.log.2", "audit.log.3", "audit.log.4");
            }
            assertThat(Files.size(log)).isLessThan(2_000);
        }
    }

    private List<JsonNode> audit() throws IOException {
        List<JsonNode> lines = new ArrayList<>();
        for (String line : Files.readAllLines(directory.resolve("node/audit.log"))) {
            lines.add(new ObjectMapper().readTree(line));
        }
        return lines;
    }
}
