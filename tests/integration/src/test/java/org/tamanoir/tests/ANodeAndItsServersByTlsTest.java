package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.identity.Authority;
import org.tamanoir.identity.Identity;
import org.tamanoir.node.Node;
import org.tamanoir.repository.RepositoryServer;
import org.tamanoir.repository.RepositorySettings;
import org.tamanoir.settings.Settings;

/** A node asks other nodes, repositories and front-ends by TLS, and each knows the other by its certificate. */
class ANodeAndItsServersByTlsTest {
    private static final String A = "spiffe://example.org/node/a";
    private static final String B = "spiffe://example.org/node/b";

    @TempDir
    private Path directory;
    private Authority authority;

    @BeforeEach
    void start() {
        authority = new Authority(directory, "ca");
    }

    private static Settings tls(Settings configuration, Identity.Files files, String... plain) {
        return configuration.set("tls.certificate", files.certificate().toString()).set("tls.key", files.key().toString())
                .set("tls.authorities", files.authorities().toString()).set("tls.plain", List.of(plain));
    }

    /** Sends a little through a node in the clear; false if the stream is refused. */
    private static boolean carries(Node first, TcpServer echo) throws IOException {
        try (AnepPeer peer = new AnepPeer(first.address())) {
            peer.send(AnepPeer.opening(Grid.MONITORING, AnepPeer.to(echo.port(), Delivery.RAW))).send(AnepPeer.data(Grid.MONITORING, new byte[10]));
            return peer.receive().typeId() == Grid.MONITORING;
        }
    }

    private Node last(Grid grid, String name) {
        return grid.node(configuration -> tls(configuration, authority.certify("b", "URI:" + name, 20)).set("peers", List.of(A)).set("repositories", List.of()));
    }

    private Node first(Grid grid, Node last, Consumer<Settings> more) {
        return grid.node(configuration -> {
            tls(configuration, authority.certify("a", "URI:" + A, 20), "127.0.0.0/8").set("peers", List.of(B))
                    .set("routes", Map.of("127.0.0.0/8", "tls://127.0.0.1:" + last.address().getPort()));
            more.accept(configuration);
        });
    }

    @Test
    void codeComesFromTheNodeBeforeByTls() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            Node last = last(grid, B);
            Node first = first(grid, last, configuration -> configuration.set("tls.plain", List.of("127.0.0.1")));
            assertThat(carries(first, echo)).isTrue();
            String code = new NodeView(first).status().path("codeServer").asText();
            assertThat(new NodeView(last).service(Grid.MONITORING).path("source").asText()).isEqualTo("node " + code);
            assertThat(HttpFetch.of("http://" + code, ErrorCode.UNREACHABLE).bytes("/index.xml", 1 << 20)).as("for those in plain").isNotEmpty();
            String other = new NodeView(last).status().path("codeServer").asText();
            assertThatThrownBy(() -> HttpFetch.of("http://" + other, ErrorCode.UNREACHABLE).bytes("/index.xml", 1 << 20)).hasMessageStartingWith("EE-204");
            try (Identity stranger = new Identity(new Authority(directory, "strangers").certify("s", "URI:" + A, 20));
                    Identity nobody = new Identity(new Identity.Files(null, null, authority.certificate(), null));
                    Identity known = new Identity(authority.certify("a2", "URI:" + A, 20))) {
                for (Identity wrong : List.of(stranger, nobody)) {
                    assertThatThrownBy(() -> index(other, wrong)).hasMessageStartingWith("EE-204");
                }
                assertThat(index(other, known)).isNotEmpty();
            }
        }
    }

    private static byte[] index(String codeServer, Identity who) {
        return HttpFetch.of("https://" + codeServer, ErrorCode.UNREACHABLE).tls(who.sslContext(B::equals)).bytes("/index.xml", 1 << 20);
    }

    @Test
    void bundlesComeFromARepositoryThatIsWhoItShouldBe() throws Exception {
        try (Grid grid = new Grid(); TcpServer echo = TcpServer.echo(); Identity here = new Identity(authority.certify("here", "IP:127.0.0.1", 20));
                Identity elsewhere = new Identity(authority.certify("elsewhere", "DNS:repository.example.org", 20));
                RepositoryServer good = repository("good", here); RepositoryServer other = repository("other", elsewhere)) {
            HttpFetch.of(good.url(), ErrorCode.REPOSITORY_UNREACHABLE).tls(here.sslContext(any -> false)).put("/bundles", Grid.bundle("monitoring"));
            Node served = asks(grid, good);
            assertThat(carries(served, echo)).isTrue();
            assertThat(new NodeView(served).service(Grid.MONITORING).path("source").asText()).isEqualTo(good.url()).startsWith("https://");

            Node refused = asks(grid, other);
            assertThat(carries(refused, echo)).isFalse();
            assertThat(new NodeView(refused).errors(ErrorCode.REPOSITORY_UNREACHABLE)).isPositive();
        }
    }

    private RepositoryServer repository(String name, Identity identity) {
        return RepositoryServer.start(RepositorySettings.of(new InetSocketAddress("127.0.0.1", 0), directory.resolve(name)).withIdentity(identity));
    }

    private Node asks(Grid grid, RepositoryServer repository) {
        return grid.node(configuration -> tls(configuration, authority.certify("a", "URI:" + A, 20), "127.0.0.0/8").set("repositories", List.of(repository.url())));
    }

    @Test
    void aFrontEndKnowsItsBackEndByTheCertificate() throws Exception {
        try (Grid grid = new Grid(); Identity here = new Identity(authority.certify("frontend", "IP:127.0.0.1", 20));
                Identity elsewhere = new Identity(authority.certify("elsewhere", "DNS:frontend.example.org", 20));
                TestFrontend good = TestFrontend.byTls(here); TestFrontend other = TestFrontend.byTls(elsewhere)) {
            Node node = grid.node(configuration -> tls(configuration, authority.certify("a", "URI:" + A, 20), "127.0.0.0/8")
                    .set("cluster", Map.of("name", "b1", "frontends", List.of(good.url(), other.url()))));
            good.awaitMore(2);
            assertThat(good.names).containsExactly(A);
            assertThat(other.reports()).isEmpty();
            await().untilAsserted(() -> assertThat(new NodeView(node).status().path("cluster").path("frontends").toString()).contains("EE-"));
        }
    }
}
