package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Delivery;
import org.tamanoir.lab.RegistryServer;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.node.Node;
import org.tamanoir.node.manage.configuration.NodeConfiguration;
import org.tamanoir.oci.BundleManifest;
import org.tamanoir.oci.Location;
import org.tamanoir.oci.Registry;
import org.tamanoir.settings.Settings;
import org.tamanoir.tests.services.Mischief;

/** A node that takes the octets of bundles from a registry and believes the repository alone. */
@Tag("long")
class ANodeFetchesFromARegistryTest {
    private static final int TYPE = 0x5500;
    private static final byte[] BUNDLE = new ServiceBundle("good", TYPE, "middle", Mischief.class).octets();
    private static final String HASH = FakeRepository.sha256(BUNDLE);

    @TempDir
    private Path directory;

    @BeforeAll
    static void installed() {
        String missing = RegistryServer.missing();
        assumeTrue(missing.isEmpty(), missing);
    }

    private static FakeRepository repository() throws IOException {
        return new FakeRepository(FakeRepository.text(FakeRepository.indexOf("good", TYPE, "middle", HASH, "good.jar", BUNDLE.length)), FakeRepository.octets(BUNDLE));
    }

    private static String place(RegistryServer registry) {
        return "oci://" + registry.address() + "/grid";
    }

    private void push(RegistryServer registry) throws IOException {
        Path file = Files.write(directory.resolve("good.jar"), BUNDLE);
        new Registry(Registry.Settings.of(null, null)).push(Location.parse(place(registry)).of("good"), new BundleManifest("1.0.0", "good.jar", HASH, BUNDLE.length, Map.of()), file);
    }

    /** Opens a stream through a new node, which lacks the service. */
    private static void assertServed(FakeRepository repository, RegistryServer registry) throws IOException {
        try (Grid grid = new Grid(); TcpServer echo = TcpServer.echo()) {
            Node node = grid.node(configuration -> configuration.set("repositories", List.of(Map.of("url", repository.url(), "bundles", place(registry)))));
            try (AnepPeer peer = new AnepPeer(node.address())) {
                peer.send(AnepPeer.opening(TYPE, AnepPeer.to(echo.port(), Delivery.RAW))).send(AnepPeer.data(TYPE, new byte[] {5})).finish();
                assertThat(peer.receive().payload().getByte(0)).isEqualTo((byte) 5);
            }
            assertThat(new NodeView(node).service(TYPE).path("source").asText()).isEqualTo(repository.url());
            assertThat(new NodeView(node).service(TYPE).path("sha256").asText()).isEqualTo(HASH);
        }
    }

    @Test
    void andFromTheRepositoryWhateverIsWrongWithIt() throws Exception {
        try (RegistryServer registry = new RegistryServer(); FakeRepository repository = repository()) {
            assertServed(repository, registry);
            assertThat(repository.bundleRequests()).as("the registry has nothing yet").isEqualTo(1);
            push(registry);
            assertServed(repository, registry);
            assertThat(repository.bundleRequests()).as("the registry has it").isEqualTo(1);
            byte[] other = BUNDLE.clone();
            other[BUNDLE.length / 2] ^= 1;
            Files.write(registry.blob(HASH), other);
            assertServed(repository, registry);
            assertThat(repository.bundleRequests()).as("the registry has other content").isEqualTo(2);
            registry.kill();
            assertServed(repository, registry);
            assertThat(repository.bundleRequests()).as("the registry is away").isEqualTo(3);
        }
    }

    /** The metadata says which octets are the bundle, and the registry has them. */
    @Test
    void soDoesOneThatFollowsMetadata() throws Exception {
        byte[] bundle = MetadataRepository.bundle("counted", TYPE, "1.0.0");
        String hash = FakeRepository.sha256(bundle);
        try (RegistryServer registry = new RegistryServer(); Grid grid = new Grid(); TcpServer echo = TcpServer.echo();
                MetadataRepository repository = new MetadataRepository().target("counted", TYPE, "1.0.0", bundle)) {
            Path file = Files.write(directory.resolve("counted.jar"), bundle);
            new Registry(Registry.Settings.of(null, null)).push(Location.parse(place(registry)).of("counted"), new BundleManifest("1.0.0", "counted.jar", hash, bundle.length, Map.of()), file);
            String root = repository.root(directory).toString();
            Node node = grid.node(configuration -> configuration.set("repositories", List.of(Map.of("url", repository.url(), "tuf", root, "bundles", place(registry)))));
            try (AnepPeer peer = new AnepPeer(node.address())) {
                peer.send(AnepPeer.opening(TYPE, AnepPeer.to(echo.port(), Delivery.RAW))).send(AnepPeer.data(TYPE, new byte[] {5})).finish();
                assertThat(peer.receive().payload().getByte(0)).isEqualTo((byte) 5);
            }
            assertThat(new NodeView(node).service(TYPE).path("sha256").asText()).isEqualTo(hash);
            assertThat(repository.targetRequests()).isZero();
        }
    }

    @Test
    void whatIsNoPlaceInARegistryIsSaidAtTheStart() {
        for (Map<String, String> entry : List.of(Map.of("url", "http://127.0.0.1:1", "bundles", "http://registry.example/x"), Map.of("bundles", "oci://registry.example/x"),
                Map.of("url", "http://127.0.0.1:1", "credentials", "/etc/x"))) {
            assertThatExceptionOfType(AnepException.class).isThrownBy(() -> NodeConfiguration.of(Settings.none().set("development", true).set("repositories", List.of(entry))))
                    .withMessageContaining("repositories");
        }
    }
}
