package org.tamanoir.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("lab")
class LabTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @BeforeEach
    void needsALaboratory() {
        LabRequirements requirements = LabRequirements.check();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
    }

    @Test
    void nothingIsLeftAfterClosing() {
        Host host;
        LabProcess server;
        try (Lab lab = Lab.open()) {
            host = lab.host("a");
            lab.link(host, lab.host("b"));
            server = host.startJava(Probe.class, "echo");
            server.awaitLine("PORT", PATIENCE);
            assertThat(Namespaces.exists(host.namespace())).isTrue();
        }
        assertThat(Namespaces.exists(host.namespace())).isFalse();
        assertThat(server.isAlive()).isFalse();
    }

    @Test
    void socketsOfThisProcessAreOnTheHostAndWhatArrivesIsSeenAsItCame() throws Exception {
        try (Lab lab = Lab.open()) {
            Host a = lab.host("a");
            Host b = lab.host("b");
            Link link = lab.link(a, b);
            for (InetAddress to : List.of(link.second().ipv4(), link.second().ipv6())) {
                InetAddress from = to.getAddress().length == 4 ? link.first().ipv4() : link.first().ipv6();
                try (Capture capture = Capture.at(b); DatagramSocket sender = a.inside(() -> new DatagramSocket(new InetSocketAddress(from, 0)))) {
                    sender.setOption(StandardSocketOptions.IP_TOS, 46 << 2);
                    sender.send(new DatagramPacket(new byte[] {1, 2, 3}, 3, new InetSocketAddress(to, 7)));
                    IpPacket packet = capture.await(1, PATIENCE, each -> each.isTo(7)).get(0);
                    assertThat(packet.payload()).containsExactly(1, 2, 3);
                    assertThat(packet.source()).isEqualTo(new InetSocketAddress(from, sender.getLocalPort()));
                    assertThat(packet.dscp()).isEqualTo(46);
                    assertThat(packet.hops()).isEqualTo(64);
                    assertThat(packet.fragment()).isFalse();
                    assertThat(packet.hasGoodChecksum()).isTrue();
                    byte[] other = packet.octets().clone();
                    other[packet.version() == 4 ? 19 : 39] ^= 1;
                    assertThat(IpPacket.read(other).hasGoodChecksum()).as("with another address").isFalse();
                    assertThat(NetworkInterface.getByName(link.first().name())).as("this process is where it was").isNull();
                }
            }
        }
    }

    @Test
    void aDelayBoxCarriesAggregatesWholeAndLate() throws Exception {
        try (Lab lab = Lab.open()) {
            Host a = lab.host("a");
            Host b = lab.host("b");
            DelayBox box = new DelayBox(lab.host("box"), Duration.ofMillis(5));
            Link link = lab.link(a, box, b, LinkOptions.DEFAULT);
            box.start();
            byte[] sent = new byte[16 << 20];
            new Random(7).nextBytes(sent);
            try (ServerSocket server = b.inside(() -> new ServerSocket(0, 1, link.second().ipv4())); SocketChannel from = a.inside(SocketChannel::open)) {
                long begin = System.nanoTime();
                from.connect(server.getLocalSocketAddress());
                assertThat(Duration.ofNanos(System.nanoTime() - begin)).as("there and back").isGreaterThanOrEqualTo(Duration.ofMillis(10));
                CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> write(from.socket(), sent));
                try (Socket to = server.accept()) {
                    assertThat(to.getInputStream().readNBytes(sent.length)).as("every octet").isEqualTo(sent);
                }
                writing.join();
            }
            assertThat(box.count().carried()).as("frames, acknowledgements included").isLessThan(sent.length / 1_500 / 2);
        }
    }

    private static void write(Socket to, byte[] octets) {
        try {
            to.getOutputStream().write(octets);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aKilledLaboratoryIsSweptByTheNextAndALivingOneIsNot() {
        try (Lab living = Lab.open(); LabProcess victim = startVictim()) {
            Host host = living.host("a");
            String[] made = victim.awaitLine("MADE", PATIENCE).split(" ");
            victim.kill();
            assertThat(Namespaces.exists(made[1])).as("kill -9 leaves the namespace behind").isTrue();
            assertThat(isAlive(made[3])).as("and what runs in it").isTrue();

            try (Lab next = Lab.open()) {
                next.host("a");
                assertThat(Namespaces.exists(made[1]) || Namespaces.exists(made[2])).isFalse();
                Awaitility.await().atMost(PATIENCE).until(() -> !isAlive(made[3]));
                assertThat(Namespaces.exists(host.namespace())).isTrue();
            }
        }
    }

    @Test
    void aLaboratoryThatIsToldToEndCleansUpByItself() {
        try (LabProcess victim = startVictim()) {
            String[] made = victim.awaitLine("MADE", PATIENCE).split(" ");
            victim.end();
            assertThat(Namespaces.exists(made[1]) || Namespaces.exists(made[2])).isFalse();
            assertThat(isAlive(made[3])).isFalse();
        }
    }

    @Test
    void aProgramThatFailsOrEndsTooSoonIsExplained() {
        try (Lab lab = Lab.open()) {
            Host host = lab.host("a");
            assertThatThrownBy(() -> host.run("sh", "-c", "echo broken pipe dream >&2; exit 7"))
                    .isInstanceOf(LabException.class).hasMessageContaining("ended with 7: broken pipe dream");
            LabProcess process = host.start("early", "sh", "-c", "echo no luck >&2; exit 3");
            assertThatThrownBy(() -> process.awaitLine("READY", PATIENCE))
                    .isInstanceOf(LabException.class).hasMessageContaining("no luck");
            assertThatThrownBy(() -> host.nft("table inet x { nonsense")).hasMessageContaining("syntax error");
        }
    }

    @Test
    @Tag("long")
    void aRateHolds() {
        try (Lab lab = Lab.open()) {
            Host a = lab.host("a");
            Host b = lab.host("b");
            Link link = lab.link(a, b, LinkOptions.DEFAULT.rate("2mbit"));
            LabProcess echo = b.startJava(Probe.class, "echo");
            String port = echo.awaitLine("PORT", PATIENCE).split(" ")[1];
            // 1 MB at 2 Mbit/s takes four seconds one way; the bucket holds half a second.
            String text = "x".repeat(100_000);
            long start = System.nanoTime();
            for (int i = 0; i < 10; i++) {
                a.startJava(Probe.class, "ask", link.second().ipv4().getHostAddress(), port, text).awaitLine("ANSWER", PATIENCE);
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            assertThat(link.second().statistics().rxBytes()).isGreaterThan(1_000_000);
            assertThat(seconds).isGreaterThan(3);
        }
    }

    private static LabProcess startVictim() {
        return LabProcess.start("victim", List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp", System.getProperty("java.class.path"), Victim.class.getName()));
    }

    private static boolean isAlive(String pid) {
        return ProcessHandle.of(Long.parseLong(pid)).isPresent();
    }
}
