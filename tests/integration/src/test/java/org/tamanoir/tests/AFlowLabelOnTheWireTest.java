package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.lab.DelayBox;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabRequirements;
import org.tamanoir.lab.Link;
import org.tamanoir.lab.LinkOptions;
import org.tamanoir.lab.PacketCounter;

/** What a host behind a link sees in the headers of IPv6 that a node has sent. */
@Tag("lab")
@Timeout(120)
class AFlowLabelOnTheWireTest {
    private static final int OCTETS = 1_000_000;
    private static final int PAYLOAD = 50_000;
    /** Of experiment 2 and activity 9, as scitags/flowd makes it (4ea9e45a), without its five bits at random. */
    private static final String LABEL = "ip6 flowlabel & 0x3fefc == 0x10024";

    @TempDir
    private Path directory;

    @Test
    void saysWhoseAStreamIsInEveryPacket() throws Exception {
        LabRequirements requirements = LabRequirements.check().installMissing();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        try (Lab lab = Lab.open()) {
            Host near = lab.host("near");
            Host far = lab.host("far");
            // A connection that is not there at once is still under way when Netty asks for it.
            DelayBox box = new DelayBox(lab.host("box"), Duration.ofMillis(10));
            Link link = lab.link(near, box, far, LinkOptions.DEFAULT);
            box.start();
            String yaml = "listen: '127.0.0.1:0'\nroutes: {'fd00::/16': direct}\nkernel: {use: off}\n"
                    + "fireflies: {to: '127.0.0.1:9', experiment: 2, activity: 9, label: true}\n";
            try (NodeProcess node = NodeProcess.start(near, directory.resolve("node"), yaml)) {
                int port;
                try (ServerSocket server = far.inside(() -> new ServerSocket(0, 5, link.second().ipv6()))) {
                    server.setSoTimeout(40_000);
                    port = server.getLocalPort();
                    carries(near, far, node, server);
                }
                // A destination that refuses is told as it is without a label.
                try (AnepPeer peer = near.inside(() -> new AnepPeer(node.address()))) {
                    assertThat(peer.send(opening(link.second().ipv6(), port)).refusal()).isEqualTo(ErrorCode.DESTINATION_REFUSED);
                }
            }
        }
    }

    private static void carries(Host near, Host far, NodeProcess node, ServerSocket server) throws Exception {
        PacketCounter labelled = far.counter("tcp dport " + server.getLocalPort() + " " + LABEL);
        PacketCounter all = far.counter("tcp dport " + server.getLocalPort());
        try (AnepPeer peer = near.inside(() -> new AnepPeer(node.address()))) {
            peer.send(opening(server.getInetAddress(), server.getLocalPort()));
            try (Socket accepted = server.accept()) {
                for (int sent = 0; sent < OCTETS; sent += PAYLOAD) {
                    peer.send(AnepPeer.data(Grid.FORWARD, new byte[PAYLOAD]));
                }
                peer.finish();
                assertThat(accepted.getInputStream().readAllBytes()).hasSize(OCTETS);
            }
        }
        assertThat(all.count().bytes()).isGreaterThan(OCTETS);
        // The last acknowledgement may come between the two questions.
        await().untilAsserted(() -> assertThat(labelled.count()).isEqualTo(all.count()));
    }

    /** There is no service of that type, and it is left out. */
    private static byte[] opening(InetAddress to, int port) {
        return AnepPeer.packet(new PacketBuilder(Grid.FORWARD).options(AnepPeer.to(to.getHostAddress(), port, Delivery.RAW)));
    }
}
