package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.Delivery;
import org.tamanoir.client.ClientStream;
import org.tamanoir.client.NodeAddress;
import org.tamanoir.client.StreamRequest;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.client.wire.NodeTls;
import org.tamanoir.identity.Authority;
import org.tamanoir.identity.Identity;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.FreePort;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.node.Node;

/** Certificates of a real authority, Let's Encrypt's pebble, by a real ACME client, dehydrated: a node takes what it writes, and what it renews. */
@Tag("lab")
class CertificatesOfAnAcmeAuthorityTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path directory;
    private final List<LabProcess> processes = new ArrayList<>();

    @AfterEach
    void end() {
        processes.forEach(LabProcess::close);
    }

    @Test
    void aNodeTakesAndRenewsThem() throws Exception {
        Path files = directory.resolve("acme/certs/localhost");
        Path roots = authority();
        acme("--register", "--accept-terms");
        acme("--cron", "--domain", "localhost");
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo(); Identity anybody = new Identity(new Identity.Files(null, null, roots, null));
                TamanoirClient client = new TamanoirClient().tls(new NodeTls(anybody, any -> false))) {
            Node node = grid.node(configuration -> configuration.set("tls.certificate", files.resolve("fullchain.pem").toString())
                    .set("tls.key", files.resolve("privkey.pem").toString()).set("tls.authorities", roots.toString()).set("tls.clients", "optional")
                    .set("tls.plain", List.of()));
            StreamRequest request = new StreamRequest().via(NodeAddress.parse("tls://localhost:" + node.address().getPort()))
                    .to(new InetSocketAddress("127.0.0.1", echo.port())).services("forward").delivery(Delivery.RAW);
            try (ClientStream before = client.open(request)) {
                exchange(before);
                String until = until(node);
                acme("--cron", "--force", "--domain", "localhost");
                await().atMost(PATIENCE).until(() -> !until(node).equals(until));
                try (ClientStream after = client.open(request)) {
                    exchange(after);
                    after.complete();
                }
                exchange(before);
                before.complete();
            }
            assertThat(new NodeView(node).errors()).isZero();
        }
    }

    private static String until(Node node) {
        return new NodeView(node).status().path("identity").path("until").asText();
    }

    private static void exchange(ClientStream stream) throws InterruptedException {
        byte[] octets = "to and fro".getBytes();
        stream.send(octets);
        for (int got = 0; got < octets.length;) {
            ByteBuf payload = stream.receive();
            got += payload.readableBytes();
            payload.release();
        }
    }

    /** Starts pebble, and the client's settings. @return the certificate of its root */
    private Path authority() throws IOException {
        int port = FreePort.onLoopback();
        int management = FreePort.onLoopback();
        Identity.Files own = new Authority(directory, "web").certify("pebble", "IP:127.0.0.1", 2);
        Path settings = Files.writeString(directory.resolve("pebble.json"), """
                {"pebble": {"listenAddress": "127.0.0.1:%d", "managementListenAddress": "127.0.0.1:%d", "certificate": "%s", "privateKey": "%s",
                 "httpPort": 1, "tlsPort": 1}}
                """.formatted(port, management, own.certificate(), own.key()));
        // It need not reach what it certifies, nor try the client's patience.
        processes.add(LabProcess.start("pebble", List.of("env", "PEBBLE_VA_ALWAYS_VALID=1", "PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=0", "pebble", "-config",
                settings.toString())));
        Path acme = Files.createDirectory(directory.resolve("acme"));
        Files.writeString(acme.resolve("config"), "CA=https://127.0.0.1:" + port + "/dir\nCURL_OPTS='--cacert " + own.authorities() + "'\nBASEDIR=" + acme + "\nWELLKNOWN="
                + Files.createDirectory(acme.resolve("answers")) + "\n");
        Path roots = directory.resolve("roots.pem");
        await().atMost(PATIENCE).until(() -> Command.tryRun(List.of("curl", "-sf", "--cacert", own.authorities().toString(), "-o", roots.toString(),
                "https://127.0.0.1:" + management + "/roots/0"), null, PATIENCE).exit() == 0);
        return roots;
    }

    private void acme(String... what) {
        List<String> command = new ArrayList<>(List.of("dehydrated", "--config", directory.resolve("acme/config").toString()));
        command.addAll(Arrays.asList(what));
        Command.run(command, null, PATIENCE);
    }
}
