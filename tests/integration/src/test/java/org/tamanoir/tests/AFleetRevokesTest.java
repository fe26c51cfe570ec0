package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
    private static final List<String> NAMES = List.of("a", "b", "c");
    private static final String FLEET = "times: {poll: 1s, report: 2s}\nnodes: {never: {}, a: {}, b: {}, c: {}}\nrings: [{name: first, nodes: [never]}, {name: rest}]\n"
            + "defaults: {routes: {127.0.0.0/8: direct}}\n";

    /** A node with a stream through a service. */
    private record Member(String name, Node node, NodeView view, AnepPeer peer) implements AutoCloseable {
        static Member start(FleetLab lab, String name, Path publishers, Path bundle, int echo) throws IOException {
            Path file = lab.file(name, "listen: 127.0.0.1:0\ndata: " + lab.data(name) + "\ncode: none\ntrust: " + publishers + "\n");
            Node node = Node.start(new ConfigurationSource(file, () -> Settings.of(file)));
            NodeView view = new NodeView(node);
            await().until(() -> view.status().path("fleet").path("generation").asLong() == 1);
            Grid.admin(node).put("/bundles", bundle);
            AnepPeer peer = new AnepPeer(node.address());
            peer.send(AnepPeer.opening(TYPE, AnepPeer.to(echo, Delivery.RAW))).send(AnepPeer.data(TYPE, new byte[] {1, 2}));
            assertThat(peer.receive().payloadLength()).isEqualTo(2);
            return new Member(name, node, view, peer);
        }

        int revoked() {
            return view.status().path("trust").path("revoked").path("bundles").asInt();
        }

        @Override
        public void close() throws IOException {
            peer.close();
            node.close();
        }
    }

    @Test
    void aServiceThatRunsAtThreeNodesOfALaterRingIsEndedWithinThreeSeconds() throws Exception {
        List<Member> members = new ArrayList<>();
        try (FleetLab lab = new FleetLab(); TcpServer echo = TcpServer.echo()) {
            Path directory = lab.grid().directory();
            Keyring keyring = new Keyring(directory).add("alice");
            Path publishers = Files.writeString(directory.resolve("publishers.pem"), keyring.certificate("alice"));
            byte[] bundle = keyring.signed(new ServiceBundle("harmless", TYPE, "middle", Faulty.class), "alice");
            Path jar = Files.write(directory.resolve("harmless.jar"), bundle);
            lab.write("fleet.yaml", FLEET);
            assertThat(lab.fleet("apply", lab.folder(), "--yes", "--at-once").exit()).isZero();
            for (String name : NAMES) {
                members.add(Member.start(lab, name, publishers, jar, echo.port()));
            }

            lab.write("fleet.yaml", FLEET.replace("direct}}", "direct}, drain: 9s}") + "revoked: ['bundle " + FakeRepository.sha256(bundle) + "']\n");
            assertThat(lab.fleet("plan", lab.folder()).output()).contains("all nodes at once\n    + bundle ", "ring rest\n  a, b, c\n    + drain: 9s", "4 of 4 nodes would change");
            assertThat(lab.fleet("apply", lab.folder(), "--yes").exit()).isZero();
            long applied = System.nanoTime();
            // Each asks after 1.2 s at the latest.
            for (Member each : members) {
                assertThat(each.peer().refusal()).hasToString("EE-311");
            }
            Duration took = Duration.ofNanos(System.nanoTime() - applied);
            System.out.println("revoked at " + members.size() + " nodes within " + took.toMillis() + " ms");
            assertThat(took).isLessThan(Duration.ofSeconds(3));
            for (Member each : members) {
                assertThat(Grid.admin(each.node()).json("/services").toString()).contains("EE-316");
                assertThat(each.revoked()).isEqualTo(1);
                assertThat(each.view().status().path("fleet").path("generation").asLong()).as("its ring comes later").isEqualTo(1);
            }

            // It stays: only a line takes it back.
            lab.write("fleet.yaml", FLEET);
            assertThat(lab.fleet("apply", lab.folder(), "--yes").exit()).isZero();
            for (Member each : members) {
                await().until(() -> !Files.readString(lab.data(each.name()).resolve("fleet/revoked.txt")).contains("bundle"));
                assertThat(each.revoked()).isEqualTo(1);
            }
        } finally {
            for (Member each : members) {
                each.close();
            }
        }
    }
}
