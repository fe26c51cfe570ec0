package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.benchmarks.process.NginxServer;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.fleet.tree.Canonical;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.FreePort;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.PostgresServer;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.node.Node;
import org.tamanoir.node.manage.ConfigurationSource;
import org.tamanoir.repository.RepositoryServer;
import org.tamanoir.repository.RepositorySettings;
import org.tamanoir.settings.Settings;
import org.tamanoir.tests.services.Mischief;

/** Processes of {@code repository run} with one database and one address, as a site has them: nginx hands requests to them in turn. */
class ThreeProcessesServeOneRepositoryTest {
    private static final int PROCESSES = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String TOKEN = "of-the-test";

    @TempDir
    private Path directory;
    private final Workbench workbench = new Workbench();
    private final LabProcess[] processes = new LabProcess[PROCESSES];
    private final HttpFetch[] urls = new HttpFetch[PROCESSES];
    private PostgresServer postgres;

    @AfterEach
    void stop() {
        workbench.close();
        if (postgres != null) {
            postgres.close();
        }
    }

    private void begin(int number, String address) {
        processes[number] = workbench.start("repository", CommandLineTool.command("repository", "run", "--listen", address, "--data", directory.resolve("cache" + number).toString(),
                "--cache", "64M", "--database", postgres.url(), "--token-file", directory.resolve("token").toString(), "--development"));
    }

    private void awaitReady(int number) {
        urls[number] = HttpFetch.of(processes[number].awaitLine("READY repository ", PATIENCE).split(" ")[2], ErrorCode.REPOSITORY_UNREACHABLE);
    }

    private byte[] bundle(String version) {
        return new ServiceBundle("good", 0x5500, "middle", Mischief.class).version(version).octets();
    }

    private static String path(byte[] bundle) {
        return "/bundles/" + FakeRepository.sha256(bundle) + ".jar";
    }

    private Command.Result push(String url, byte[] bundle) throws Exception {
        Path jar = Files.write(directory.resolve("good.jar"), bundle);
        return CommandLineTool.here("service", "push", "--repository", url, "--token-file", directory.resolve("token").toString(), jar.toString());
    }

    private static void assertHas(HttpFetch at, byte[] bundle) {
        await().atMost(Duration.ofSeconds(10)).pollInterval(Duration.ofMillis(20)).ignoreExceptionsInstanceOf(AnepException.class)
                .untilAsserted(() -> assertThat(at.bytes(path(bundle), 1 << 20)).isEqualTo(bundle));
    }

    /** A node that knows the one address, and proves who it is by a token. */
    private Node edge(String address) throws Exception {
        Files.writeString(directory.resolve("edge.token"), TOKEN + "-edge");
        Path file = Files.writeString(directory.resolve("edge.yaml"), "listen: 127.0.0.1:0\ndata: " + directory.resolve("edge") + "\ncode: none\ndevelopment: true\n"
                + "fleet: {url: 'http://" + address + "', name: edge, token-file: " + directory.resolve("edge.token") + "}\n");
        return Node.start(new ConfigurationSource(file, () -> Settings.of(file)));
    }

    private void apply(String address, int hops) throws Exception {
        Path folder = Files.createDirectories(directory.resolve("fleet"));
        Files.writeString(folder.resolve("fleet.yaml"), FleetLab.TIMES + "nodes: {edge: {token-sha256: " + Canonical.sha256((TOKEN + "-edge").getBytes(StandardCharsets.UTF_8))
                + "}}\nrollout: {soak: 0s}\ndefaults: {routes: {127.0.0.0/8: direct}, limits: {hops: " + hops + "}}\n");
        Command.Result applied = CommandLineTool.here("fleet", "apply", folder.toString(), "--yes", "--at-once", "--repository", "http://" + address, "--token-file",
                directory.resolve("token").toString());
        assertThat(applied.exit()).as(applied.errors()).isZero();
    }

    private static int hops(NodeView node) {
        return node.status().path("limits").path("hops").asInt();
    }

    @Test
    @Tag("long")
    void behindOneAddressAlsoWhenOneOfThemIsKilled() throws Exception {
        String missing = PostgresServer.missing();
        Assumptions.assumeTrue(missing.isEmpty(), missing);
        postgres = new PostgresServer("127.0.0.1");
        Files.writeString(directory.resolve("token"), TOKEN);

        // It was one process and one directory before.
        byte[] old = bundle("0.9.0");
        Path before = directory.resolve("before");
        try (RepositoryServer one = RepositoryServer.start(RepositorySettings.of(new InetSocketAddress("127.0.0.1", 0), before))) {
            HttpFetch.of(one.url(), ErrorCode.REPOSITORY_UNREACHABLE).put("/bundles", Files.write(directory.resolve("old.jar"), old));
            apply(one.address().getHostString() + ":" + one.address().getPort(), 20);
        }
        Command.Result imported = CommandLineTool.here("repository", "import", "--from", before.toString(), "--database", postgres.url(), "--json");
        assertThat(CommandLineTool.json(imported.output()).path("versions").asInt()).as(imported.errors()).isEqualTo(1);
        Command.Result mixed = CommandLineTool.here("repository", "run", "--data", before.toString(), "--database", postgres.url(), "--development");
        assertThat(mixed.exit()).isEqualTo(1);
        assertThat(mixed.errors()).contains("EE-503", "repository import --from");

        for (int i = 0; i < PROCESSES; i++) {
            begin(i, "127.0.0.1:0");
        }
        List<String> upstreams = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            awaitReady(i);
            upstreams.add("server " + urls[i].base().getAuthority() + " fail_timeout=1s;");
        }
        String address = "127.0.0.1:" + FreePort.onLoopback();
        NginxServer.start(workbench, Files.createDirectory(directory.resolve("nginx")), """
                upstream repository { %s }
                server {
                  listen %s;
                  client_max_body_size 64m;
                  location / { proxy_pass http://repository; proxy_next_upstream error timeout http_503; proxy_set_header X-Forwarded-For $remote_addr; }
                }
                """.formatted(upstreams.stream().collect(Collectors.joining(" ")), address));
        HttpFetch all = HttpFetch.of("http://" + address, ErrorCode.REPOSITORY_UNREACHABLE);
        await().atMost(PATIENCE).ignoreExceptionsInstanceOf(AnepException.class).untilAsserted(() -> assertThat(all.json("/health").path("status").asText()).isEqualTo("up"));

        byte[] first = bundle("1.0.0");
        assertThat(push(urls[0].base().toString(), first)).extracting(Command.Result::exit).isEqualTo(0);
        for (HttpFetch each : urls) {
            assertHas(each, first);
            assertHas(each, old);
        }
        String tag = all.ifChanged("/index.xml", null, 1 << 20).etag();
        for (int i = 0; i < 2 * PROCESSES; i++) {
            assertThat(all.ifChanged("/index.xml", tag, 1 << 20).body()).as("whoever answers").isEmpty();
            assertThat(all.bytes(path(first), 1 << 20)).isEqualTo(first);
        }

        try (Node edge = edge(address)) {
            NodeView view = new NodeView(edge);
            await().atMost(PATIENCE).until(() -> hops(view) == 20);
            assertThat(urls[0].json("/fleet/status").path("generation").path("number").asInt()).as("it came along").isEqualTo(1);
            apply(address, 21);
            await().atMost(PATIENCE).until(() -> hops(view) == 21);
            for (int hops = 22; hops < 26; hops++) {
                apply(address, hops);
                int wanted = hops;
                // Each question goes to another process.
                await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(() -> {
                    assertThat(hops(view)).isBetween(wanted - 1, wanted);
                    return hops(view) == wanted;
                });
                await().during(Duration.ofMillis(300)).until(() -> hops(view) == wanted);
            }
            processes[1].kill();
            apply(address, 30);
            await().atMost(PATIENCE).until(() -> hops(view) == 30);
        }

        byte[] second = bundle("1.1.0");
        assertThat(push("http://" + address, second)).extracting(Command.Result::exit).isEqualTo(0);
        for (int i = 0; i < 2 * PROCESSES; i++) {
            assertHas(all, second);
        }
        begin(1, urls[1].base().getAuthority());
        awaitReady(1);
        assertHas(urls[1], second);
        JsonNode health = urls[1].json("/health");
        assertThat(health.path("database").path("state").asText()).isEqualTo("up");
        assertThat(health.path("versions").asInt()).isEqualTo(3);
    }
}
