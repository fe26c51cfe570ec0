package org.tamanoir.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.AccessRoles.Grant;
import org.tamanoir.http.AccessRoles.Role;
import org.tamanoir.http.fetch.EventFeed;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.identity.Authority;
import org.tamanoir.identity.Identity;

/** Both ends know each other by certificates; openssl makes them. */
@Timeout(60)
class TlsTest {
    private static final String ADA = "spiffe://example.org/operator/ada";
    private static final String BOB = "spiffe://example.org/reader/bob";

    @TempDir
    private Path directory;
    private final byte[] content = new byte[3_000_000];
    private final CompletableFuture<EventStream> listener = new CompletableFuture<>();
    private Authority authority;
    private Identity own;
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        new Random(1).nextBytes(content);
        authority = new Authority(directory, "authority");
        own = new Identity(authority.certify("server", "IP:127.0.0.1", 30));
        server = serve(false);
    }

    @AfterEach
    void stop() {
        server.close();
        own.close();
    }

    private HttpServer serve(boolean needed) throws IOException {
        Path file = Files.write(directory.resolve("file"), content);
        Path uploads = Files.createDirectories(directory.resolve("uploads"));
        AccessRoles access = new AccessRoles(() -> List.of(new Grant(Role.OPERATE, null, List.of(ADA)), new Grant(Role.READ, null, List.of(BOB))), () -> false);
        return HttpServer.at(new InetSocketAddress("127.0.0.1", 0)).tls(own.sslContext(name -> false), needed, Identity::names)
                .limits(HttpLimits.DEFAULTS.withTimes(Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(1)))
                .route("GET", "/file", r -> Response.file(file, "application/octet-stream"))
                .route(Route.of("GET", "/who", r -> Response.json(r.who())).guarded(access.to(Role.READ)),
                        Route.of("POST", "/change", r -> Response.json(r.who())).guarded(access.to(Role.OPERATE)),
                        Route.of("GET", "/events", r -> Response.events(listener::complete)),
                        Route.of("PUT", "/upload", r -> Response.json(Files.mismatch(r.file(), file))).uploads(uploads, 4_000_000))
                .start();
    }

    private HttpFetch client(Identity.Files files) {
        return HttpFetch.of(server.url(), ErrorCode.UNREACHABLE).tls(new Identity(files).sslContext(name -> false));
    }

    private static void assertRefused(ErrorCode code, Runnable call) {
        assertThatExceptionOfType(AnepException.class).isThrownBy(call::run).extracting(AnepException::code).isEqualTo(code);
    }

    @Test
    void theNameInTheCertificateIsTheRole() {
        assertThat(server.url()).startsWith("https://");
        HttpFetch ada = client(authority.certify("ada", "URI:" + ADA, 30));
        HttpFetch bob = client(authority.certify("bob", "URI:" + BOB, 30));
        HttpFetch eve = client(authority.certify("eve", "URI:spiffe://example.org/eve", 30));
        assertThat(ada.post("/change", "").asText()).isEqualTo(ADA);
        assertThat(bob.json("/who").asText()).isEqualTo(BOB);
        assertRefused(ErrorCode.NOT_ALLOWED, () -> bob.post("/change", ""));
        assertRefused(ErrorCode.NOT_AUTHORISED, () -> eve.json("/who"));
    }

    @Test
    @Tag("long")
    void whoseCertificateNobodyKnowsIsNotHeardAndDisturbsNobody() throws Exception {
        HttpFetch ada = client(authority.certify("ada", "URI:" + ADA, 30));
        Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        Identity.Files forged = new Authority(elsewhere, "other").certify("ada", "URI:" + ADA, 30);
        Identity.Files stranger = new Identity.Files(forged.certificate(), forged.key(), authority.certificate(), null);
        assertRefused(ErrorCode.UNREACHABLE, () -> client(stranger).json("/who"));
        assertRefused(ErrorCode.UNREACHABLE, () -> client(authority.certify("late", "URI:" + ADA, -1)).json("/who"));
        assertRefused(ErrorCode.UNREACHABLE, () -> client(forged).json("/who"));
        assertThat(Raw.ask(server, Raw.get("/who"))).doesNotContain("HTTP/1.1");
        try (Raw silent = new Raw(server)) {
            assertThat(ada.json("/who").asText()).isEqualTo(ADA);
            assertThat(silent.readAll()).as("half a handshake ends").isEmpty();
        }
        server.close();
        server = serve(true);
        assertThat(client(authority.certify("ada", "URI:" + ADA, 30)).json("/who").asText()).isEqualTo(ADA);
    }

    @Test
    @Tag("long")
    void filesUploadsEventsAndRefusalsPass() throws Exception {
        HttpFetch ada = client(authority.certify("ada", "URI:" + ADA, 30));
        assertThat(ada.bytes("/file", 4_000_000)).isEqualTo(content);
        assertThat(ada.put("/upload", directory.resolve("file")).asInt()).isEqualTo(-1);
        Path large = Files.write(directory.resolve("large"), new byte[9_000_000]);
        assertRefused(ErrorCode.TOO_LARGE, () -> ada.put("/upload", large));
        try (EventFeed feed = ada.timeout(Duration.ofSeconds(5)).events("/events")) {
            EventStream stream = listener.get(5, TimeUnit.SECONDS);
            stream.send("n", "one");
            assertThat(feed.next().data()).isEqualTo("one");
        }
        Awaitility.await().until(() -> !listener.get().isOpen());
    }
}
