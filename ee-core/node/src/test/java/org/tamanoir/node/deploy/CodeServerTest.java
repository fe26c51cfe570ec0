package org.tamanoir.node.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import aQute.bnd.osgi.repository.XMLResourceParser;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.osgi.framework.Version;
import org.osgi.resource.Resource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.http.fetch.HttpFetch.Fetched;
import org.tamanoir.node.deploy.BundleSource.FoundBundle;
import org.tamanoir.node.deploy.BundleStore.Sha256;

@Timeout(60)
class CodeServerTest {
    private final Collection<FoundBundle> offered = new CopyOnWriteArrayList<>();
    @TempDir
    private Path directory;
    private CodeServer server;
    private HttpFetch http;

    @BeforeEach
    void start() {
        server = CodeServer.start(new InetSocketAddress("127.0.0.1", 0), null, () -> offered, sha256 -> directory.resolve("store").resolve(sha256 + ".jar"));
        http = HttpFetch.of(url(""), ErrorCode.UNREACHABLE);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private String url(String path) {
        return "http://127.0.0.1:" + server.address().getPort() + path;
    }

    private FoundBundle keep(int typeId, String name, String version, int size) throws IOException {
        byte[] octets = (name + version).repeat(1 + size).substring(0, size).getBytes(StandardCharsets.UTF_8);
        Path file = Files.write(directory.resolve("new"), octets);
        String sha256 = Sha256.of(file);
        Files.createDirectories(directory.resolve("store"));
        Files.move(file, directory.resolve("store").resolve(sha256 + ".jar"));
        FoundBundle bundle = new FoundBundle(typeId, name, version, "middle", sha256, size, URI.create("http://elsewhere:3325/x.jar"));
        offered.add(bundle);
        return bundle;
    }

    private List<FoundBundle> index() {
        return R5Index.read(new ByteArrayInputStream(http.bytes("/index.xml", 1 << 20)), URI.create(url("/index.xml")));
    }

    private FoundBundle here(FoundBundle bundle) {
        return new FoundBundle(bundle.typeId(), bundle.name(), bundle.version(), bundle.level(), bundle.sha256(), bundle.size(),
                URI.create(url("/bundles/" + bundle.sha256() + ".jar")));
    }

    @Test
    void whatIsOfferedIsInTheIndexAndCanBeFetchedFromWhereItSays() throws IOException {
        FoundBundle monitoring = keep(0x5402, "monitoring", "1.2.0.rc-1", 5000);
        FoundBundle odd = keep(0x5501, "a \"<&'>\" b", "1.10.0", 10);
        assertThat(index()).containsExactly(here(monitoring), here(odd));
        Path file = directory.resolve("fetched");
        assertThat(http.toFile(index().get(0).content().getPath(), file, 5000).sha256()).isEqualTo(monitoring.sha256());
        assertThat(file).hasSize(5000);
    }

    @Test
    void bndReadsTheIndexWithItsTypes() throws Exception {
        FoundBundle bundle = keep(0x5403, "compression", "2.0.1", 77);
        List<Resource> resources = XMLResourceParser.getResources(new ByteArrayInputStream(http.bytes("/index.xml", 1 << 20)),
                URI.create(url("/index.xml")));
        assertThat(resources).hasSize(1);
        Map<String, Object> service = resources.get(0).getCapabilities("tamanoir.service").get(0).getAttributes();
        assertThat(service).containsEntry("name", "compression").containsEntry("type-id", 0x5403L).containsEntry("level", "middle")
                .hasEntrySatisfying("version", version -> assertThat(version).hasToString("2.0.1").isNotInstanceOf(String.class));
        assertThat(resources.get(0).getCapabilities("osgi.content").get(0).getAttributes()).containsEntry("osgi.content", bundle.sha256())
                .containsEntry("size", 77L).containsEntry("mime", "application/vnd.osgi.bundle")
                .hasEntrySatisfying("url", url -> assertThat(url).hasToString(here(bundle).content().toString()));
        assertThat(Version.parseVersion(service.get("version").toString())).isEqualTo(new Version(2, 0, 1));
    }

    @Test
    void anIndexIsSentAgainOnlyWhenItHasChanged() throws IOException {
        FoundBundle first = keep(0x5402, "monitoring", "1.0.0", 30);
        FoundBundle second = keep(0x5402, "monitoring", "1.1.0", 30);
        Fetched before = http.ifChanged("/index.xml", null, 1 << 20);
        offered.clear();
        offered.addAll(List.of(second, first));
        assertThat(http.ifChanged("/index.xml", before.etag(), 1 << 20).body()).as("the order does not matter").isEmpty();
        offered.remove(second);
        Fetched after = http.ifChanged("/index.xml", before.etag(), 1 << 20);
        assertThat(after.body()).isPresent();
        assertThat(after.etag()).isNotEqualTo(before.etag());
        assertThat(http.ifChanged("/bundles/" + first.sha256() + ".jar", '"' + first.sha256() + '"', 100).body()).isEmpty();
    }

    @Test
    void aFileThatWasCutOrIsGoneIsNotOfferedAndDoesNotHideTheOthers() throws IOException {
        FoundBundle cut = keep(0x5402, "monitoring", "1.0.0", 100);
        FoundBundle gone = keep(0x5403, "compression", "1.0.0", 100);
        FoundBundle unwritable = keep(0x5501, "bell\u0007", "1.0.0", 100);
        FoundBundle whole = keep(0x5404, "qosinus", "1.0.0", 100);
        Files.writeString(directory.resolve("store").resolve(cut.sha256() + ".jar"), "cut");
        Files.delete(directory.resolve("store").resolve(gone.sha256() + ".jar"));
        assertThat(index()).containsExactly(here(whole)).doesNotContain(here(unwritable));
        for (FoundBundle bundle : List.of(cut, gone)) {
            assertThatThrownBy(() -> http.bytes("/bundles/" + bundle.sha256() + ".jar", 1000)).isInstanceOf(AnepException.class)
                    .hasMessageStartingWith("EE-407").hasMessageContaining(bundle.sha256());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/bundles/../secret.jar", "/bundles/..%2fsecret.jar", "/bundles/%2e%2e/secret.jar", "/bundles/..%5csecret.jar",
        "/bundles/secret.jar", "/bundles/..jar", "/bundles/.jar", "/bundles/%00.jar", "/secret.jar", "/", "//bundles", "/store",
        "http://127.0.0.1/bundles/../../secret.jar"})
    void noPathLeadsToWhatIsNotOffered(String path) throws IOException {
        keep(0x5402, "monitoring", "1.0.0", 10);
        Files.writeString(directory.resolve("secret.jar"), "top secret");
        Files.writeString(directory.resolve("store").resolve("secret.jar"), "top secret");
        try (Peer peer = new Peer("127.0.0.1")) {
            assertThat(peer.ask("GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")).matches("(?s)HTTP/1.1 40[04] .*")
                    .doesNotContain("top secret");
        }
    }

    @Test
    void nothingCanBeUploadedAndABodyIsRefusedBeforeItComes() throws IOException {
        for (String method : List.of("PUT", "POST", "DELETE")) {
            try (Peer peer = new Peer("127.0.0.1")) {
                assertThat(peer.ask(method + " /index.xml HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n")).startsWith("HTTP/1.1 405 ");
            }
        }
        try (Peer peer = new Peer("127.0.0.1")) {
            assertThat(peer.ask("GET /index.xml HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n")).startsWith("HTTP/1.1 413 ");
        }
        try (Peer peer = new Peer("127.0.0.1")) {
            assertThat(peer.ask("GET /" + "x".repeat(2000) + " HTTP/1.1\r\nHost: x\r\n\r\n")).startsWith("HTTP/1.1 414 ");
        }
    }

    @Test
    void oneAddressThatTakesAllItsConnectionsDoesNotStandInTheWayOfOthers() throws IOException {
        keep(0x5402, "monitoring", "1.0.0", 10);
        List<Peer> silent = new ArrayList<>();
        try {
            for (int i = 0; i < CodeServer.LIMITS.connectionsOfPeer(); i++) {
                silent.add(new Peer("127.0.0.2"));
                // Answered, so that it is known to be counted.
                silent.get(i).send("GET /none HTTP/1.1\r\nHost: x\r\n\r\n");
                assertThat(silent.get(i).line()).startsWith("HTTP/1.1 404 ");
            }
            try (Peer more = new Peer("127.0.0.2")) {
                assertThat(more.line()).startsWith("HTTP/1.1 503 ");
            }
            assertThat(index()).hasSize(1);
        } finally {
            for (Peer peer : silent) {
                peer.close();
            }
        }
    }

    /** Writes whatever it likes, from an address of its own. */
    private final class Peer implements AutoCloseable {
        private final Socket socket = new Socket();

        Peer(String from) throws IOException {
            socket.bind(new InetSocketAddress(InetAddress.getByName(from), 0));
            socket.setSoTimeout(15_000);
            socket.connect(server.address());
        }

        void send(String text) throws IOException {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        }

        String ask(String request) throws IOException {
            send(request);
            StringBuilder all = new StringBuilder();
            try {
                for (int octet = socket.getInputStream().read(); octet >= 0; octet = socket.getInputStream().read()) {
                    all.append((char) octet);
                }
            } catch (SocketException e) {
                all.append("(reset)");
            }
            return all.toString();
        }

        String line() throws IOException {
            StringBuilder line = new StringBuilder();
            for (int octet = socket.getInputStream().read(); octet >= 0 && octet != '\n'; octet = socket.getInputStream().read()) {
                line.append((char) octet);
            }
            return line.toString();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
