package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Delivery;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.node.Node;
import org.tamanoir.node.manage.ConfigurationSource;
import org.tamanoir.settings.Settings;
import org.tamanoir.tests.services.Faulty;

/** What a fleet revokes is revoked at every node at once, whatever its ring, beside what the node's own list says. */
class AFleetRevokesTest {
    private static final int TYPE = 0x5500;

    @Test
    void aServiceThatRunsAtANodeOfALaterRing() throws Exception {
        try (FleetLab lab = new FleetLab(); TcpServer echo = TcpServer.echo()) {
            Path directory = lab.grid().directory();
            Keyring keyring = new Keyring(directory).add("alice");
            Path publishers = Files.writeString(directory.resolve("publishers.pem"), keyring.certificate("alice"));
            byte[] bundle = keyring.signed(new ServiceBundle("harmless", TYPE, "middle", Faulty.class), "alice");
            String fleet = FleetLab.TIMES + "nodes: {never: {}, a: {}}\nrings: [{name: first, nodes: [never]}, {name: rest}]\ndefaults: {routes: {127.0.0.0/8: direct}}\n";
            lab.write("fleet.yaml", fleet);
            assertThat(lab.fleet("apply", lab.folder(), "--yes", "--at-once").exit()).isZero();
            Path file = lab.file("a", "listen: 127.0.0.1:0\ndata: " + lab.data("a") + "\ncode: none\ntrust: " + publishers + "\n");
            try (Node node = Node.start(new ConfigurationSource(file, () -> Settings.of(file)))) {
                NodeView view = new NodeView(node);
                await().until(() -> view.status().path("fleet").path("generation").asLong() == 1);
                Grid.admin(node).put("/bundles", Files.write(directory.resolve("harmless.jar"), bundle));
                try (AnepPeer peer = new AnepPeer(node.address())) {
                    peer.send(AnepPeer.opening(TYPE, AnepPeer.to(echo.port(), Delivery.RAW))).send(AnepPeer.data(TYPE, new byte[] {1, 2}));
                    assertThat(peer.receive().payloadLength()).isEqualTo(2);
                    lab.write("fleet.yaml", fleet.replace("direct}}", "direct}, drain: 9s}") + "revoked: ['bundle " + FakeRepository.sha256(bundle) + "']\n");
                    assertThat(lab.fleet("plan", lab.folder()).output()).contains("all nodes at once\n    + bundle ", "ring rest\n  a\n    + drain: 9s", "2 of 2 nodes would change");
                    assertThat(lab.fleet("apply", lab.folder(), "--yes").exit()).isZero();
                    await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> assertThat(Grid.admin(node).json("/services").toString()).contains("EE-316"));
                    assertThat(peer.refusal().toString()).isEqualTo("EE-311");
                }
                assertThat(view.status().path("trust").path("revoked").path("bundles").asInt()).isEqualTo(1);
                assertThat(view.status().path("fleet").path("generation").asLong()).as("its ring comes later").isEqualTo(1);
                // It stays: only a line takes it back.
                lab.write("fleet.yaml", fleet);
                assertThat(lab.fleet("apply", lab.folder(), "--yes").exit()).isZero();
                await().until(() -> !Files.readString(lab.data("a").resolve("fleet/revoked.txt")).contains("bundle"));
                assertThat(view.status().path("trust").path("revoked").path("bundles").asInt()).isEqualTo(1);
            }
        }
    }
}
