package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.lab.DelayBox;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.Link;
import org.tamanoir.lab.LinkOptions;
import org.tamanoir.lab.PacketCounter;
import org.tamanoir.node.probe.ProbeService;
import org.tamanoir.node.probe.ProbeService.ProbeSettings;
import org.tamanoir.service.probe.Probes;
import org.tamanoir.service.probe.Probes.Answers;
import org.tamanoir.service.probe.Probes.Answers.Answer;
import org.tamanoir.service.probe.Probes.Train;

/** What trains of probes say of a way that the laboratory has made: delay, loss, code point and capacity. Both hosts have one clock. */
class ProbesMeasureTheWayTest {
    private static final Duration PATIENCE = Duration.ofMillis(500);
    private static final double MILLI = 1e6;

    private final Lab lab = Lab.open();
    private final Host here = lab.host("here");
    private final Host there = lab.host("there");
    private ProbeService sender;
    private ProbeService reflector;

    @BeforeEach
    void start() throws Exception {
        InetSocketAddress anywhere = new InetSocketAddress(ProbeSettings.PORT);
        reflector = there.inside(() -> new ProbeService(new ProbeSettings(anywhere, true, ProbeSettings.PRESET_RATE)));
        sender = new ProbeService(new ProbeSettings(null, true, 1));
    }

    @AfterEach
    void stop() {
        sender.close();
        reflector.close();
        lab.close();
    }

    @Test
    void theDelayOfAWayIsThatOfItsBox() throws Exception {
        DelayBox box = new DelayBox(lab.host("box"), Duration.ofMillis(10));
        Link link = lab.link(here, box, there, LinkOptions.DEFAULT.offloads(false));
        box.start();
        send(train(link.second().ipv4(), 0, 10, 80, Duration.ofMillis(1)));
        for (InetAddress to : List.of(link.second().ipv4(), link.second().ipv6())) {
            Answers came = send(train(to, 46, 100, 300, Duration.ofMillis(5)));
            assertThat(came.answers()).hasSize(100).allSatisfy(each -> {
                assertThat(each.arrivedDscp()).isEqualTo(46);
                assertThat(each.arrivedTtl()).isEqualTo(64);
                assertThat(each.backNanos()).isGreaterThanOrEqualTo(each.arrivedNanos());
            });
            assertThat(median(came, Answer::roundTripNanos)).isCloseTo(20.0, within(0.3));
            assertThat(median(came, Answer::oneWayNanos)).isCloseTo(10.0, within(0.2));
        }
    }

    @Test
    void whatIsLostIsCountedAsTheLinkCountsIt() throws Exception {
        Link link = lab.link(here, there);
        PacketCounter arriving = link.second().arriving();
        // Other packets of the hosts, such as those of neighbour discovery, are lost too: the probes are counted on both sides of the loss.
        PacketCounter left = there.counter("udp dport 862");
        link.second().lose(0.3);
        Answers came = send(train(link.second().ipv4(), 10, 256, 200, Duration.ofMillis(1)));
        long lost = arriving.count().packets() - left.count().packets();
        assertThat(lost).isBetween(30L, 130L);
        assertThat(came.sent()).isEqualTo(256);
        assertThat(arriving.count().packets()).isEqualTo(256);
        assertThat(came.sent() - came.answers().size()).isEqualTo((int) lost);
    }

    @Test
    void aRouterThatBleachesTheCodePointIsFoundOut() throws Exception {
        Link link = lab.link(here, there);
        here.nft("""
                table inet bleach {
                  chain leaving {
                    type filter hook postrouting priority 0; policy accept;
                    udp dport 862 ip dscp set 0
                    udp dport 862 ip6 dscp set 0
                  }
                }
                """);
        for (InetAddress to : List.of(link.second().ipv4(), link.second().ipv6())) {
            awaitNeighbour(to);
            PacketCounter marked = here.counter(to.getAddress().length == 4 ? "udp sport 862 ip dscp 46" : "udp sport 862 ip6 dscp 46");
            Answers came = send(train(to, 46, 5, 100, Duration.ZERO));
            assertThat(came.answers()).hasSize(5).allSatisfy(each -> assertThat(each.arrivedDscp()).isZero());
            // The answer has the code point that was asked for, not the one that arrived.
            assertThat(marked.count().packets()).isEqualTo(5);
        }
    }

    @Test
    void theSpreadOfATrainIsTheCapacityOfAClass() throws Exception {
        Link link = lab.link(here, there, LinkOptions.DEFAULT.offloads(false));
        here.run("tc", "qdisc", "add", "dev", link.first().name(), "root", "handle", "1:", "htb", "default", "10");
        here.run("tc", "class", "add", "dev", link.first().name(), "parent", "1:", "classid", "1:10", "htb", "rate", "20mbit", "ceil", "20mbit",
                "burst", "3000", "cburst", "3000");
        here.run("tc", "qdisc", "add", "dev", link.first().name(), "parent", "1:10", "pfifo", "limit", "1000");
        Answers came = send(train(link.second().ipv4(), 0, 64, 1400, Duration.ZERO));
        assertThat(came.answers()).hasSize(64);
        Answer from = came.answers().get(8);
        Answer to = came.answers().get(63);
        // The class counts the Ethernet header too.
        double rate = 55 * (1400 + 14) * 8 / ((to.arrivedNanos() - from.arrivedNanos()) / 1e9);
        assertThat(rate).isCloseTo(20e6, within(1e6));
    }

    /** The first packet to a new neighbour may wait a second until that is asked again. */
    private void awaitNeighbour(InetAddress to) {
        await().atMost(Duration.ofSeconds(10)).until(() -> !send(train(to, 0, 1, 80, Duration.ZERO)).answers().isEmpty());
    }

    private static Train train(InetAddress to, int dscp, int packets, int octets, Duration gap) {
        return new Train(new InetSocketAddress(to, ProbeSettings.PORT), dscp, packets, octets, gap, PATIENCE);
    }

    private Answers send(Train train) throws Exception {
        CompletableFuture<Answers> came = new CompletableFuture<>();
        Probes probes = sender.forService(Runnable::run);
        assertThat(here.inside(() -> probes.send(train, came::complete))).isTrue();
        return came.get(10, TimeUnit.SECONDS);
    }

    private static double median(Answers answers, ToLongFunction<Answer> what) {
        long[] sorted = answers.answers().stream().mapToLong(what).sorted().toArray();
        return Arrays.stream(sorted).skip(sorted.length / 2).findFirst().orElseThrow() / MILLI;
    }
}
