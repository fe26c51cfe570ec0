package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.client.gateway.Gateway;
import org.tamanoir.client.gateway.GatewayOptions;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.FreePort;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.LabRequirements;

/** curl through a gateway and a node with {@code cache}, before an nginx that counts what it is asked for. */
class ACacheServesProgramsTest {
    private static final long LENGTH = 12_000_000;
    private static final int PROGRAMS = 20;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private Grid grid;
    private Path directory;
    private NodeProgram node;
    private LabProcess nginx;
    private int port;

    @BeforeEach
    void start() throws Exception {
        for (String program : List.of("nginx", "curl")) {
            if (!LabRequirements.has(program)) {
                Assumptions.assumeTrue(LabRequirements.check().root(), program + " is missing: apt-get install nginx-light curl");
                DebianPackages.require(program, program.equals("nginx") ? "nginx-light" : program, "nginx");
            }
        }
        grid = Grid.withRepository();
        grid.push(Grid.bundle("cache"));
        directory = Files.createDirectory(grid.directory().resolve("web"));
        TestFile.halfCompressible(directory.resolve("file"), LENGTH);
        TestFile.halfCompressible(directory.resolve("slow"), LENGTH);
        port = FreePort.onLoopback();
        startOrigin();
        startNode(0);
    }

    @AfterEach
    void stop() throws IOException {
        for (AutoCloseable each : new AutoCloseable[] {node, nginx, grid}) {
            try {
                if (each != null) {
                    each.close();
                }
            } catch (Exception e) {
                throw new IOException(e);
            }
        }
    }

    private void startNode(int at) {
        node = new NodeProgram(grid.directory().resolve("node"), "--listen", "127.0.0.1:" + at, "--repository", grid.repository().url());
        assertThat(node.said()).startsWith("READY");
    }

    private void startOrigin() throws IOException {
        // Its workers run as whoever runs this test: nobody else may read the files.
        String user = LabRequirements.check().root() ? "user root;" : "";
        Path file = Files.writeString(directory.resolve("nginx.conf"), """
                daemon off;
                %3$s
                pid %1$s/pid;
                error_log stderr;
                events {}
                http {
                  log_format octets '$request_method $uri $status $body_bytes_sent';
                  access_log %1$s/access.log octets;
                  client_body_temp_path %1$s/body;
                  proxy_temp_path %1$s/proxy;
                  fastcgi_temp_path %1$s/fastcgi;
                  uwsgi_temp_path %1$s/uwsgi;
                  scgi_temp_path %1$s/scgi;
                  server {
                    listen 127.0.0.1:%2$d;
                    root %1$s;
                    add_header Cache-Control max-age=60;
                    location /slow { limit_rate 8m; }
                  }
                }
                """.formatted(directory, port, user));
        nginx = LabProcess.start("nginx", List.of("nginx", "-e", "stderr", "-p", directory.toString(), "-c", file.toString()));
        await("the origin").ignoreExceptions().until(() -> {
            new Socket("127.0.0.1", port).close();
            return true;
        });
    }

    private Gateway gateway() {
        return Gateway.open(new GatewayOptions(new InetSocketAddress("127.0.0.1", 0)).via(node.address())
                .to(new InetSocketAddress("127.0.0.1", port)).services("cache"));
    }

    private static LabProcess curl(Gateway gateway, String path, Path output) {
        return LabProcess.start("curl", List.of("curl", "--silent", "--show-error", "--fail", "--dump-header", output + ".head", "--output", output.toString(),
                "--header", "Host: data.example.org", "http://127.0.0.1:" + gateway.address().getPort() + path));
    }

    private List<String> asked() throws IOException {
        return Files.readAllLines(directory.resolve("access.log"));
    }

    @Test
    void manyProgramsCostTheOriginOneTransferAndGoOnWithoutIt() throws Exception {
        String right = TestFile.sha256(directory.resolve("file"));
        try (Gateway gateway = gateway()) {
            List<LabProcess> programs = IntStream.range(0, PROGRAMS).mapToObj(i -> curl(gateway, "/file", directory.resolve("got" + i))).toList();
            for (int i = 0; i < PROGRAMS; i++) {
                assertThat(programs.get(i).awaitExit(PATIENCE)).as(programs.get(i).errors()).isZero();
                assertThat(TestFile.sha256(directory.resolve("got" + i))).isEqualTo(right);
            }
            assertThat(asked()).containsExactly("GET /file 200 " + LENGTH);

            nginx.end();
            nginx.awaitExit(PATIENCE);
            LabProcess alone = curl(gateway, "/file", directory.resolve("alone"));
            assertThat(alone.awaitExit(PATIENCE)).as(alone.errors()).isZero();
            assertThat(TestFile.sha256(directory.resolve("alone"))).isEqualTo(right);
            assertThat(Files.readString(directory.resolve("alone.head"))).containsPattern("Age: \\d+").contains("Cache-Status: tamanoir-").contains("; hit");
            assertThat(node.admin().json("/services/cache/inspect/list").path("list").path(0).path("kept").asLong()).isEqualTo(LENGTH);
            assertThat(node.admin().post("/services/cache/commands/purge", Map.of("url", "http://data.example.org/file")).path("purged").asInt()).isOne();
        }
    }

    @Test
    void aNodeThatIsKilledInMidFillGivesTheRightOctetsAfterwards() throws Exception {
        int before = node.address().getPort();
        try (Gateway gateway = gateway()) {
            LabProcess cut = curl(gateway, "/slow", directory.resolve("cut"));
            await("some of it").until(() -> Files.exists(directory.resolve("cut")) && Files.size(directory.resolve("cut")) > LENGTH / 3);
            node.kill();
            assertThat(cut.awaitExit(PATIENCE)).isNotZero();
        }
        startNode(before);
        try (Gateway gateway = gateway()) {
            for (String name : List.of("first", "second")) {
                LabProcess again = curl(gateway, "/slow", directory.resolve(name));
                assertThat(again.awaitExit(PATIENCE)).as(again.errors()).isZero();
                assertThat(TestFile.sha256(directory.resolve(name))).isEqualTo(TestFile.sha256(directory.resolve("slow")));
            }
        }
    }
}
