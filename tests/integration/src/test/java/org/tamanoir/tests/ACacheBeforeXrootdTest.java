package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.client.gateway.Gateway;
import org.tamanoir.client.gateway.GatewayOptions;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.FreePort;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.LabRequirements;

/** curl and {@code tamanoir copy} through a gateway and a node with {@code cache}, before the HTTP port of XRootD, which names no versions and knows no conditions. */
class ACacheBeforeXrootdTest {
    private static final long LENGTH = 12_000_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private Grid grid;
    private Path store;
    private NodeProgram node;
    private LabProcess xrootd;
    private Gateway gateway;
    private int port;

    @BeforeEach
    void start() throws Exception {
        Assumptions.assumeTrue(LabRequirements.check().root(), "xrootd runs as its own user, and so needs root");
        DebianPackages.require("curl", "curl");
        if (!LabRequirements.has("xrootd") || !Files.exists(Path.of("/usr/share/doc/xrootd-server-plugins"))) {
            DebianPackages.install(List.of("xrootd-server", "xrootd-server-plugins"));
        }
        grid = Grid.withRepository();
        grid.push(Grid.bundle("cache"));
        port = FreePort.onLoopback();
        startXrootd();
        Path file = Files.writeString(grid.directory().resolve("node.yaml"), "services: {cache: {webdav: 'http://127.0.0.1:'}}\n");
        node = new NodeProgram(grid.directory().resolve("node"), "--config", file.toString(), "--listen", "127.0.0.1:0", "--repository", grid.repository().url());
        gateway = Gateway.open(new GatewayOptions(new InetSocketAddress("127.0.0.1", 0)).via(node.address()).to(new InetSocketAddress("127.0.0.1", port)).services("cache"));
    }

    private void startXrootd() throws Exception {
        store = Files.createTempDirectory("xrootd", PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        Path file = Files.writeString(store.resolve("xrootd.cfg"), """
                all.export %1$s
                xrd.port %2$d
                xrd.protocol http:%3$d libXrdHttp.so
                all.adminpath %1$s/admin
                all.pidpath %1$s/admin
                """.formatted(store, FreePort.onLoopback(), port));
        write(1);
        Command.run(List.of("chown", "-R", "xrootd", store.toString()));
        xrootd = LabProcess.start("xrootd", List.of("xrootd", "-R", "xrootd", "-c", file.toString(), "-n", "tests"));
        await("xrootd").ignoreExceptions().until(() -> {
            new Socket("127.0.0.1", port).close();
            return true;
        });
    }

    /** Versions differ in what they hold and when they were written, and not in their length. */
    private void write(int version) throws IOException {
        byte[] content = new byte[(int) LENGTH];
        new java.util.Random(version).nextBytes(content);
        Files.write(file(), content);
        Files.setLastModifiedTime(file(), FileTime.from(Instant.now().minusSeconds(100_000 - 1000L * version)));
    }

    private Path file() {
        return store.resolve("file");
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : new AutoCloseable[] {gateway, node, xrootd, grid}) {
            if (each != null) {
                each.close();
            }
        }
        if (store != null) {
            Command.run(List.of("rm", "-r", store.toString()));
        }
    }

    private String url() {
        return "http://127.0.0.1:" + gateway.address().getPort() + "/" + store.resolve("file");
    }

    private void fetched(String name, String... fields) throws Exception {
        Path output = grid.directory().resolve(name);
        List<String> command = new ArrayList<>(List.of("curl", "--silent", "--show-error", "--fail", "--dump-header", output + ".head", "--output", output.toString(), url()));
        for (String field : fields) {
            command.addAll(List.of("--header", field));
        }
        LabProcess curl = LabProcess.start("curl", command);
        assertThat(curl.awaitExit(PATIENCE)).as(curl.errors()).isZero();
        assertThat(Files.mismatch(output, file())).isEqualTo(-1);
    }

    private String cacheStatus(String name) throws IOException {
        return Files.readAllLines(grid.directory().resolve(name + ".head")).stream().filter(line -> line.startsWith("Cache-Status:")).findFirst().orElseThrow();
    }

    /** Wrong: a cache that keeps nothing of XRootD, one that never asks again, and one that mixes two versions. */
    @Test
    @Tag("long")
    void whatXrootdHasIsKeptByItsVersion() throws Exception {
        fetched("first");
        assertThat(cacheStatus("first")).contains("fwd=uri-miss").contains("stored");
        fetched("second");
        assertThat(cacheStatus("second")).endsWith("; hit");
        fetched("asked", "Cache-Control: no-cache");
        assertThat(cacheStatus("asked")).contains("fwd-status=304");
        copied("copied");
        write(2);
        fetched("changed", "Cache-Control: no-cache");
        assertThat(cacheStatus("changed")).contains("fwd-status=200");
        copied("copied again");

        xrootd.end();
        xrootd.awaitExit(PATIENCE);
        fetched("alone");
        assertThat(cacheStatus("alone")).endsWith("; hit");
    }

    /** By ranges under a condition, over several connections. */
    private void copied(String name) throws Exception {
        Path output = grid.directory().resolve(name);
        LabProcess copy = LabProcess.start("copy", CommandLineTool.command("copy", "--extent", "1M", "--streams", "3", "--json", url(), output.toString()));
        assertThat(copy.awaitExit(PATIENCE)).as(copy.errors()).isZero();
        assertThat(Files.mismatch(output, file())).isEqualTo(-1);
        assertThat(node.admin().json("/services/cache/inspect/list").path("list").path(0).path("kept").asLong()).isEqualTo(LENGTH);
    }
}
