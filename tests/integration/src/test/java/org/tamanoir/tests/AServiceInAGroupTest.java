package org.tamanoir.tests;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.Packet;
import org.tamanoir.lab.Capture;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.IpPacket;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabRequirements;
import org.tamanoir.lab.Link;

/** A node with two interfaces: groups are on the one that its configuration names, and nothing of them is on the other. */
@Tag("lab")
@Timeout(120)
class AServiceInAGroupTest {
    private final Path directory = Files.createTempDirectory("tamanoir-group").toAbsolutePath();

    AServiceInAGroupTest() throws Exception {
    }

    /** A host that hears a group, and sends to it from an address that it has. */
    private static final class Member implements AutoCloseable {
        private final MulticastSocket hears;
        private final DatagramSocket says;
        private final InetSocketAddress group;

        Member(Host host, String name, InetAddress own, InetSocketAddress group) throws Exception {
            this.group = group;
            NetworkInterface port = host.inside(() -> NetworkInterface.getByName(name));
            hears = host.inside(() -> new MulticastSocket(group.getPort()));
            hears.setSoTimeout(5000);
            hears.joinGroup(group, port);
            says = host.inside(() -> new DatagramSocket(new InetSocketAddress(own, 0)));
            says.setSoTimeout(5000);
            says.setOption(StandardSocketOptions.IP_MULTICAST_IF, port);
        }

        private static DatagramPacket next(DatagramSocket socket) throws Exception {
            DatagramPacket datagram = new DatagramPacket(new byte[2048], 2048);
            socket.receive(datagram);
            return datagram;
        }

        /** How many more come, until nothing comes for a while. */
        int hearOut() throws Exception {
            for (int count = 0; ; count++) {
                try {
                    next(says);
                } catch (SocketTimeoutException e) {
                    return count;
                }
            }
        }

        static String word(DatagramPacket datagram) {
            return Packet.of(Unpooled.wrappedBuffer(datagram.getData(), 0, datagram.getLength())).payload().toString(US_ASCII);
        }

        /** Says something to the node or the group, and hears what is said to this host alone. */
        DatagramPacket ask(String word, InetSocketAddress to) throws Exception {
            byte[] octets = AServiceSpeaksWithItsNeighboursTest.word(0x5510, 5, word);
            says.send(new DatagramPacket(octets, octets.length, to));
            return next(says);
        }

        @Override
        public void close() {
            hears.close();
            says.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"239.255.13.7, 0x5405, 3", "ff15::5405, 0x5405, 3", "ff02::1:5405, 3322, 1"})
    void hearsItAndSpeaksToItOnTheInterfaceThatIsNamed(String name, String port, int ttl) throws Exception {
        LabRequirements requirements = LabRequirements.check().installMissing();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        InetSocketAddress group = new InetSocketAddress(InetAddress.getByName(name), Integer.decode(port));
        boolean six = name.contains(":");
        try (Lab lab = Lab.open()) {
            Host host = lab.host("host");
            Host node = lab.host("node");
            Host elsewhere = lab.host("elsewhere");
            Link site = lab.link(host, node);
            lab.link(node, elsewhere);
            InetAddress own = six ? site.first().ipv6() : site.first().ipv4();
            InetSocketAddress address = new InetSocketAddress(six ? site.second().ipv6() : site.second().ipv4(), 3322);
            try (LabRepository repository = new LabRepository(node, directory.resolve("repository"),
                    AServiceSpeaksWithItsNeighboursTest.bundle("1.0.0").in(directory)); Member member = new Member(host, site.first().name(), own, group);
                    Capture capture = Capture.at(host); Capture other = Capture.at(elsewhere)) {
                LabNode running = LabNode.start(node, directory.resolve("node"), "listen: '[::]:3322'\nrepositories: ['" + repository.url()
                        + "']\nlinks: {members: " + Lab.PREFIXES + ", interface: " + site.second().name() + ", ttl: " + ttl + "}\nkernel: {use: off}\n");
                member.says.setSoTimeout(300);
                await().ignoreExceptions().until(() -> Member.word(member.ask("join " + name + " " + group.getPort(), address)).equals("true"));
                member.hearOut();
                assertThat(running.get("/links").path("groups")).hasSize(1);

                DatagramPacket answer = member.ask("version", group);
                assertThat(Member.word(answer)).isEqualTo("1.0.0");
                assertThat(answer.getSocketAddress()).as("who answers").isEqualTo(address);
                assertThat(member.hearOut()).as("further answers: it comes to the node once").isZero();
                member.says.setSoTimeout(5000);

                assertThat(Member.word(member.ask("tell " + name + " " + group.getPort(), address))).isEqualTo("true");
                DatagramPacket told = Member.next(member.hears);
                while (!Member.word(told).equals("told")) {
                    told = Member.next(member.hears);
                }
                assertThat(told.getPort()).isEqualTo(3322);
                List<IpPacket> seen = capture.await(1, LightLab.PATIENCE, packet -> packet.source().getPort() == 3322
                        && packet.destination().getAddress().isMulticastAddress());
                assertThat(seen).hasSize(1);
                assertThat(seen.get(0).hops()).isEqualTo(ttl);
                assertThat(other.packets(packet -> packet.destination().getAddress().isMulticastAddress() && packet.protocol() == IpPacket.UDP))
                        .as("on the other interface").isEmpty();
                assertThat(running.get("/links").path("dropped").properties()).as("nothing but what came before the service")
                        .allSatisfy(entry -> assertThat(entry.getKey()).isEqualTo("no-service"));
            }
        }
    }

    @AfterEach
    void clear() throws Exception {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
