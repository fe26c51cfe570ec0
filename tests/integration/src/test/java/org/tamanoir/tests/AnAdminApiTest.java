package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.node.Node;

/** The admin API is for this machine, or for whoever has the token: a page or a proxy on this machine speaks for somebody else. */
class AnAdminApiTest {
    private static int status(Node node, String request) throws IOException {
        String address = node.adminUrl().substring("http://".length());
        int colon = address.lastIndexOf(':');
        try (Socket socket = new Socket(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)))) {
            socket.setSoTimeout(5000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
            return Integer.parseInt(answer.substring(9));
        }
    }

    @ParameterizedTest
    @CsvSource({"GET /status", "GET /metrics", "GET /streams", "GET /streams/1", "GET /services", "GET /routes", "PUT /routes", "DELETE /routes",
        "GET /explain/0x5401"})
    void turnsAwayWhoeverComesSecondHandWithoutTheToken(String line) throws IOException {
        try (Grid grid = new Grid()) {
            var token = Files.writeString(grid.directory().resolve("token"), "secret\n");
            Node node = grid.node(configuration -> configuration.set("admin-token-file", token));
            String head = line + " HTTP/1.1\r\nConnection: close\r\nContent-Length: 0\r\n";
            assertThat(status(node, head + "Host: 127.0.0.1\r\nOrigin: http://example.org\r\n\r\n")).isEqualTo(401);
            assertThat(status(node, head + "Host: rebound.example.org\r\n\r\n")).isEqualTo(401);
            assertThat(status(node, head + "Host: 127.0.0.1\r\nX-Forwarded-For: 192.0.2.1\r\nAuthorization: Bearer wrong\r\n\r\n")).isEqualTo(401);
            assertThat(status(node, head + "Host: rebound.example.org\r\nAuthorization: Bearer secret\r\n\r\n")).isNotEqualTo(401);
            assertThat(status(node, head + "Host: 127.0.0.1\r\n\r\n")).as("from this machine").isNotEqualTo(401);
        }
    }

    /** Octets that are no request, requests without end: the API still answers, and so does the node. */
    @Test
    void answersOthersWhileSomebodyTalksNonsense() throws IOException {
        try (Grid grid = Grid.withRepository()) {
            Node node = grid.node();
            assertThat(status(node, "\u0001\u0002\u0003 nonsense\r\n\r\n")).isEqualTo(400);
            assertThat(status(node, "GET /streams/-5x HTTP/1.1\r\nHost: localhost\r\n\r\n")).isEqualTo(400);
            assertThat(status(node, "GET /streams/999 HTTP/1.1\r\nHost: localhost\r\n\r\n")).isEqualTo(404);
            assertThat(status(node, "GET /explain/0x99999999 HTTP/1.1\r\nHost: localhost\r\n\r\n")).isEqualTo(400);
            assertThat(status(node, "PUT /routes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nnull")).isEqualTo(400);
            assertThat(status(node, "DELETE /routes?prefix=x HTTP/1.1\r\nHost: localhost\r\n\r\n")).isBetween(400, 499);
            assertThat(status(node, "GET /status HTTP/1.1\r\nHost: localhost\r\n\r\n")).isEqualTo(200);
            try (SteadyStream steady = new SteadyStream(node)) {
                steady.undisturbed();
            }
        }
    }

    /** Upgrades that wait for a repository are bounded, and whoever watches the node is answered meanwhile. */
    @Test
    void answersWhoeverWatchesWhileUpgradesWait() throws Exception {
        int taken = 20;
        int refused = 4;
        try (Grid grid = new Grid(); FakeRepository silent = FakeRepository.silent()) {
            Node node = grid.node(configuration -> {
                configuration.set("repositories", List.of(silent.url()));
                configuration.set("limits.repository-timeout", "60s");
            });
            HttpFetch admin = Grid.admin(node).timeout(Duration.ofSeconds(100));
            admin.put("/bundles", Grid.bundle("forward"));
            List<CompletableFuture<Void>> upgrades = new ArrayList<>();
            for (int i = 0; i < taken + refused; i++) {
                upgrades.add(Grid.async(() -> admin.post("/services/forward/upgrade", Map.of())));
            }
            await().until(() -> upgrades.stream().filter(CompletableFuture::isDone).count() == refused);
            assertThat(upgrades.stream().filter(CompletableFuture::isDone).toList()).allSatisfy(upgrade -> assertThatThrownBy(upgrade::get)
                    .cause().hasMessageStartingWith("EE-410"));
            for (String path : List.of("/health", "/metrics", "/status", "/services", "/streams", "/routes")) {
                assertThat(admin.bytes(path, 1 << 20)).as(path).isNotEmpty();
            }
            assertThat(upgrades.stream().filter(upgrade -> !upgrade.isDone())).as("upgrades that still wait").hasSize(taken);
        }
    }
}
