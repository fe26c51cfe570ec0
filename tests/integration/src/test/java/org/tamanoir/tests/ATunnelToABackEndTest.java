package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.Delivery;
import org.tamanoir.benchmarks.cluster.site.FrontEnd;
import org.tamanoir.benchmarks.cluster.site.FrontEndMachine;
import org.tamanoir.lab.ClusterTestbed;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.Director;
import org.tamanoir.lab.LabRequirements;
import org.tamanoir.lab.Port;

/** The method {@code tunnel} from the director to the service, both with a kernel of user-mode Linux: it has tunnels, which that of this machine may lack. */
@Tag("lab")
class ATunnelToABackEndTest {
    private static final int MEGABYTES = 384;
    private static final int BACK_END = 2;

    @Test
    void carriesStreamsAndAnswersGoPastTheDirector(@TempDir Path directory) throws Exception {
        LabRequirements requirements = LabRequirements.check().installMissing();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        DebianPackages.require("iptables-legacy", "iptables");
        try (ClusterTestbed testbed = ClusterTestbed.open(1)) {
            Port receiver = testbed.join("receiver");
            try (LabRepository repository = new LabRepository(testbed.router(), testbed.inner().port().ipv4().getHostAddress(), directory, Grid.bundle("forward"));
                    Director director = testbed.boot(1, MEGABYTES); Director back = testbed.boot(BACK_END, MEGABYTES)) {
                String virtual = testbed.virtual(1).getHostAddress();
                String url = FrontEnd.url(director.taps().get(1).ipv4());
                director.run("ip addr add " + virtual + "/32 dev vec0");
                FrontEnd frontend = new FrontEnd(FrontEndMachine.of(director), "director1", url, testbed.backEnd(1).host())
                        .configure("pools: {default: {addresses: [" + virtual + "], method: tunnel}}\n").start();
                FrontEndMachine node = FrontEndMachine.of(back);
                String file = node.write("node.yaml", "listen: '[::]:" + ClusterLab.PORT + "'\nroutes: {" + testbed.outer().ipv4Subnet() + ": direct}\n"
                        + "repositories: ['" + repository.url() + "']\nkernel: {use: off}\ncluster: {name: b1, address: "
                        + back.taps().get(1).ipv4().getHostAddress() + ", frontends: ['" + url + "'], token: " + FrontEnd.TOKEN + ", virtual-addresses: [" + virtual + "/32]}\n");
                int pid = node.start("node", CommandLineTool.command(List.of("-XX:-UsePerfData", "-Xmx128m", "-Djava.io.tmpdir=/run"), "node", "run",
                        "--config", file, "--development", "--data", "/run/node", "--drain", "0s"));
                node.awaitLine("node", "READY ");
                frontend.awaitReady().awaitIn("b1");
                assertThat(director.run("ipvsadm -Ln")).contains("Tunnel");
                assertThat(node.run("ip -d link show dev tamanoir-" + ClusterLab.PORT)).contains("ipip");

                InetSocketAddress cluster = new InetSocketAddress(virtual, ClusterLab.PORT);
                overTcp(testbed, receiver, cluster);
                overUdp(testbed, receiver, cluster);
                // What comes in is counted by the director. What goes out is not seen there; it tells the source that its packets do not fit (ICMP).
                await().atMost(ClusterLab.PATIENCE).until(() -> !director.run("ipvsadm -Ln --stats | awk '$1 == \"TCP\" && $6 > 60000 && $7 < 6000'").isEmpty());

                node.run("kill " + pid);
                await().atMost(ClusterLab.PATIENCE).until(() -> node.run("kill -0 " + pid + " 2>&1 && echo runs || true").contains("No such process"));
                assertThat(node.run("ip link; ip addr; ip rule")).as("what is left").doesNotContain("tamanoir-", virtual);
            }
        }
    }

    private static void overTcp(ClusterTestbed testbed, Port receiver, InetSocketAddress cluster) throws Exception {
        InetAddress there = receiver.ipv4();
        try (ServerSocket server = receiver.host().inside(() -> new ServerSocket(0, 5, there));
                AnepPeer peer = testbed.client().host().inside(() -> new AnepPeer(cluster))) {
            server.setSoTimeout((int) ClusterLab.PATIENCE.toMillis());
            peer.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(there.getHostAddress(), server.getLocalPort(), Delivery.RAW)));
            // More than one packet with the header of the tunnel: the director answers those that do not fit, and the source sends smaller ones.
            byte[] octets = new byte[60_000];
            try (Socket accepted = server.accept()) {
                peer.send(AnepPeer.data(Grid.FORWARD, octets));
                assertThat(accepted.getInputStream().readNBytes(octets.length)).isEqualTo(octets);
                accepted.getOutputStream().write(new byte[50]);
                assertThat(peer.receive().payloadLength()).isEqualTo(50);
            }
        }
    }

    private static void overUdp(ClusterTestbed testbed, Port receiver, InetSocketAddress cluster) throws Exception {
        try (UdpPeer peer = new UdpPeer(testbed.client().host(), testbed.client().ipv4(), 0); UdpPeer there = new UdpPeer(receiver.host(), receiver.ipv4(), 0)) {
            byte[] opening = AnepPeer.opening(Grid.FORWARD, AnepPeer.to(receiver.ipv4().getHostAddress(), there.port(), Delivery.ANEP).stream(7, 0));
            int times = 0;
            do {
                assertThat(times++).as("datagrams that were lost in a row").isLessThan(4);
                peer.send(opening, cluster);
            } while (there.isSilent(1500));
            there.send(AnepPeer.data(Grid.FORWARD, new byte[9]));
            peer.receive();
            assertThat(peer.lastSender()).as("who answers").isEqualTo(cluster);
        }
    }
}
