package org.tamanoir.benchmarks.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.benchmarks.bundle.Stamp;
import org.tamanoir.benchmarks.soak.Books.Received;
import org.tamanoir.benchmarks.soak.Books.SentStream;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.node.Node;
import org.tamanoir.node.manage.configuration.NodeConfiguration;
import org.tamanoir.repository.RepositoryServer;
import org.tamanoir.repository.RepositorySettings;
import org.tamanoir.service.ActiveService;
import org.tamanoir.settings.Settings;

/** Source, two nodes and receiver in this process, and a service that does one wrong thing on the first node. */
@Tag("long")
class TheSoakFindsWhatAServiceDoesTest {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();
    private static final int TYPE = 0x57E0;
    private static final int PACKET = 308;
    private static final int RATE = 200;

    @TempDir
    private Path files;
    private RepositoryServer repository;
    private Node last;
    private Node first;

    /** What came of some streams, TCP and UDP, that go through a service for half a second. */
    private record Outcome(Balance tcp, Balance udp, Received received) {
    }

    @AfterEach
    void end() {
        first.close();
        last.close();
        repository.close();
    }

    private Outcome run(String name, String version, Class<? extends ActiveService> service) throws Exception {
        repository = RepositoryServer.start(RepositorySettings.of(new InetSocketAddress(HERE, 0), files.resolve("repository")));
        HttpFetch.of(repository.url(), ErrorCode.REPOSITORY_UNREACHABLE).put("/bundles",
                new ServiceBundle(name, TYPE, "middle", service).version(version).in(files));
        last = node("last", Map.of());
        first = node("first", Map.of("127.0.0.0/8", "127.0.0.1:" + last.address().getPort()));
        // A first stream brings the service to both nodes: datagrams that wait for it beyond what a node keeps are lost by right.
        soak(1, 0, 10);
        return soak(3, 2, 500);
    }

    private Outcome soak(int tcpStreams, int udpStreams, int millis) throws Exception {
        Receiver receiver = new Receiver(HERE);
        daemon(receiver);
        Source source = new Source(new Flow.Route(TYPE, HERE.getHostAddress(), first.address().getPort(), HERE.getHostAddress(),
                receiver.tcpPort(), receiver.udpPort(), new Soak.Load(tcpStreams, udpStreams, PACKET, RATE)));
        source.mark(1);
        daemon(source);
        Thread.sleep(millis);
        source.stop();
        await().atMost(Duration.ofSeconds(25)).until(source::isOver);
        await().atMost(Duration.ofSeconds(10)).until(() -> receiver.open() == 0 && receiver.datagramSilence() > 200_000_000);
        List<SentStream> sent = source.sent().streams();
        Received received = receiver.received();
        return new Outcome(Balance.of(sent, received.streams(), false), Balance.of(sent, received.streams(), true), received);
    }

    private Node node(String name, Map<String, String> routes) {
        Settings configuration = Settings.none();
        configuration.set("listen", "127.0.0.1:0");
        configuration.set("admin", "127.0.0.1:0");
        configuration.set("data", files.resolve(name));
        configuration.set("development", true);
        configuration.set("repositories", List.of(repository.url()));
        configuration.set("threads", 1);
        configuration.set("drain", "1s");
        if (!routes.isEmpty()) {
            configuration.set("routes", routes);
        }
        return Node.start(NodeConfiguration.of(configuration));
    }

    private static void daemon(Runnable body) {
        Thread thread = new Thread(body, "soak");
        thread.setDaemon(true);
        thread.start();
    }

    @Test
    void allIsWellWithAServiceThatOnlyStamps() throws Exception {
        Outcome outcome = run("soak", "1.0.7", Stamp.class);
        for (Balance balance : List.of(outcome.tcp, outcome.udp)) {
            assertThat(balance.reasons()).isEmpty();
            assertThat(balance.broken()).isZero();
            assertThat(balance.sent()).isGreaterThan(100);
            assertThat(List.of(balance.lost(), balance.duplicated(), balance.damaged(), balance.unserved())).containsOnly(0L);
            assertThat(balance.changed()).isZero();
            assertThat(balance.versions()).isEqualTo(1);
        }
        assertThat(outcome.tcp.outOfOrder()).isZero();
        assertThat(outcome.received.streams()).allMatch(stream -> stream.firstIngress() == 7 && stream.firstEgress() == 7);
        Books.Part delays = outcome.received.delays().get(0);
        assertThat(delays.all().getTotalCount()).isEqualTo(outcome.tcp.sent() + outcome.udp.sent());
        assertThat(delays.opening().getTotalCount()).isEqualTo(outcome.tcp.streams() + outcome.udp.streams());
        assertThat(delays.all().getMinValue()).isBetween(1_000L, 500_000_000L);
        assertThat(delays.opening().getMinValue()).as("connections had to be made").isGreaterThan(delays.all().getMinValue());
    }

    @Test
    void aLostPacketIsFound() throws Exception {
        Outcome outcome = run("loses", "1.0.0", Mishandler.class);
        assertFound(outcome.tcp, outcome.tcp.lost());
        assertFound(outcome.udp, outcome.udp.lost());
        assertThat(outcome.tcp.duplicated() + outcome.tcp.damaged() + outcome.tcp.outOfOrder() + outcome.tcp.broken()).isZero();
    }

    @Test
    void aDoubledPacketIsFound() throws Exception {
        Outcome outcome = run("doubles", "1.0.0", Mishandler.class);
        assertFound(outcome.tcp, outcome.tcp.duplicated());
        assertFound(outcome.udp, outcome.udp.duplicated());
        assertThat(outcome.tcp.lost() + outcome.tcp.damaged() + outcome.tcp.outOfOrder() + outcome.tcp.broken()).isZero();
    }

    @Test
    void swappedPacketsAreFound() throws Exception {
        Outcome outcome = run("swaps", "1.0.0", Mishandler.class);
        assertFound(outcome.tcp, outcome.tcp.outOfOrder());
        assertFound(outcome.udp, outcome.udp.outOfOrder());
        assertThat(outcome.tcp.lost() + outcome.tcp.damaged() + outcome.tcp.duplicated() + outcome.tcp.broken()).isZero();
    }

    @Test
    void aDamagedPacketIsFoundAndMissing() throws Exception {
        Outcome outcome = run("damages", "1.0.0", Mishandler.class);
        assertFound(outcome.tcp, outcome.tcp.damaged());
        assertFound(outcome.tcp, outcome.tcp.lost());
        // Of a datagram with other octets nobody knows whose it was.
        assertThat(outcome.udp.lost()).isEqualTo(outcome.udp.streams());
        assertThat(outcome.tcp.duplicated() + outcome.tcp.outOfOrder() + outcome.tcp.broken()).isZero();
    }

    @Test
    void aStreamThatBreaksIsFoundWithItsReason() throws Exception {
        Outcome outcome = run("breaks", "1.0.0", Mishandler.class);
        assertFound(outcome.tcp, outcome.tcp.broken());
        assertThat(outcome.tcp.reasons()).anyMatch(reason -> reason.contains("EE-306"));
    }

    /** The service does it once to each stream. */
    private static void assertFound(Balance balance, long count) {
        assertThat(balance.streams()).isPositive();
        assertThat(count).isEqualTo(balance.streams());
    }
}
