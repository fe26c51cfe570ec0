package org.tamanoir.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.lab.MulticastTestbed.Site;
import org.tamanoir.lab.MulticastTestbed.Traffic;

@Tag("lab")
class MulticastTestbedTest {
    private static final int SITES = 2;
    private static final int RECEIVERS = 2;
    /** Headers of IPv4 and UDP. */
    private static final int HEADERS = 28;
    /** Longer than the longest way, and than what a busy machine needs to hand over what has arrived. */
    private static final Duration QUIET = Duration.ofMillis(300);

    private MulticastTestbed testbed;
    private final List<GroupProbe> probes = new ArrayList<>();
    private GroupProbe sender;

    @BeforeEach
    void open() throws Exception {
        LabRequirements requirements = LabRequirements.check();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        testbed = MulticastTestbed.open(SITES, RECEIVERS);
        for (Site site : testbed.sites()) {
            for (Port port : site.ports()) {
                probes.add(GroupProbe.listen(port));
            }
        }
        sender = GroupProbe.sender(testbed.access().first());
    }

    @AfterEach
    void close() throws Exception {
        for (GroupProbe probe : probes) {
            probe.close();
        }
        if (sender != null) {
            sender.close();
        }
        if (testbed != null) {
            testbed.close();
        }
    }

    @Test
    @Tag("long")
    void fromTheSourceToASiteAndBackTakesTwentyMillisecondsAndWithinASiteNone() throws Exception {
        assertThat(least(sender, testbed.sites().get(1).ports().get(1))).isBetween(19.9, 21.0);
        try (GroupProbe neighbour = GroupProbe.sender(testbed.sites().get(1).ports().get(0))) {
            assertThat(least(neighbour, testbed.sites().get(1).ports().get(1))).isLessThan(2);
            assertThat(least(neighbour, testbed.sites().get(0).ports().get(0))).as("to the other site, through the core").isBetween(39.8, 42.0);
        }
    }

    @Test
    void everybodyReachesEverybodyByIpv6() throws Exception {
        Port from = testbed.sites().get(1).ports().get(1);
        for (Port to : List.of(testbed.access().first(), testbed.sites().get(0).ports().get(0), testbed.sites().get(1).ports().get(0))) {
            try (DatagramSocket server = to.host().inside(() -> new DatagramSocket(new InetSocketAddress(to.ipv6(), 7000)));
                    DatagramSocket client = from.host().inside(() -> new DatagramSocket(new InetSocketAddress(from.ipv6(), 0)))) {
                server.setSoTimeout(5_000);
                client.send(new DatagramPacket(new byte[] {7}, 1, server.getLocalSocketAddress()));
                DatagramPacket came = new DatagramPacket(new byte[10], 10);
                server.receive(came);
                assertThat(came.getSocketAddress()).isEqualTo(client.getLocalSocketAddress());
            }
        }
    }

    @Test
    @Tag("sweep")
    void theDelayBoxCarriesThreeHundredAndFiftyMegabitsWithoutADrop() throws Exception {
        Port to = testbed.sites().get(0).ports().get(0);
        int packets = 30_000;
        sender.send(to.ipv4(), packets, 1_500 - HEADERS, 350_000_000 / (8 * 1_500));
        Thread.sleep(QUIET.toMillis());
        assertThat(testbed.traffic().toSites().get(0)).isEqualTo(new PacketCounter.Count(packets, packets * 1_500L));
        assertThat(testbed.delayed().dropped()).isZero();
        assertThat(testbed.delayed().carried()).isBetween((long) packets, packets + 100L);
    }

    @Test
    void theSitesMissTheirOwnPacketsAndAllReceiversOfASiteTheSame() throws Exception {
        testbed.routeMulticast(GroupProbe.GROUP.getHostAddress());
        testbed.site(0.25);
        List<BitSet> came = sendToGroup(4_000);
        assertThat(came.get(1)).isEqualTo(came.get(0));
        assertThat(came.get(3)).isEqualTo(came.get(2));
        assertLoses(came.get(0), 4_000, 0.25);
        assertLoses(came.get(2), 4_000, 0.25);
        assertLoses(both(came.get(0), came.get(2)), 4_000, 1 - 0.75 * 0.75);
        // What was lost was on the links before.
        assertThat(testbed.traffic().toSites()).allMatch(count -> count.packets() == 4_000);
    }

    @Test
    @Tag("long")
    void eachReceiverMissesItsOwnPacketsUntilTheLossIsChanged() throws Exception {
        testbed.routeMulticast(GroupProbe.GROUP.getHostAddress());
        testbed.independent(0.25);
        List<BitSet> came = sendToGroup(4_000);
        came.forEach(each -> assertLoses(each, 4_000, 0.25));
        assertLoses(both(came.get(0), came.get(1)), 4_000, 1 - 0.75 * 0.75);
        testbed.independent(0.05);
        sendToGroup(4_000).forEach(each -> assertLoses(each, 4_000, 0.05));
        testbed.independent(0);
        assertThat(sendToGroup(500)).allMatch(each -> each.cardinality() == 500);
    }

    @Test
    void everyLinkIsCountedInEachDirectionAndAGroupCrossesEachOnce() throws Exception {
        testbed.routeMulticast(GroupProbe.GROUP.getHostAddress());
        assertThat(sendToGroup(200)).allMatch(each -> each.cardinality() == 200);
        PacketCounter.Count group = new PacketCounter.Count(200, 200 * (100 + HEADERS));
        PacketCounter.Count none = new PacketCounter.Count(0, 0);
        assertThat(testbed.traffic()).isEqualTo(new Traffic(group, none, List.of(group, group), List.of(none, none)));

        Traffic before = testbed.traffic();
        sender.ask(testbed.sites().get(1).ports().get(0).ipv4());
        PacketCounter.Count one = new PacketCounter.Count(1, 64 + HEADERS);
        assertThat(testbed.traffic().minus(before)).isEqualTo(new Traffic(one, one, List.of(none, one), List.of(none, one)));
    }

    @Test
    void nothingIsLeftAfterwards() throws Exception {
        testbed.routeMulticast(GroupProbe.GROUP.getHostAddress());
        List<String> namespaces = IntStream.range(0, SITES).mapToObj(i -> testbed.sites().get(i).router().namespace()).toList();
        String pid = Command.run(List.of("ip", "netns", "pids", testbed.core().namespace())).output().lines().findFirst().orElseThrow().strip();
        assertThat(ProcessHandle.of(Long.parseLong(pid))).as("smcrouted runs").isPresent();
        testbed.close();
        assertThat(namespaces).noneMatch(Namespaces::exists);
        assertThat(ProcessHandle.of(Long.parseLong(pid))).isEmpty();
        try (var files = Files.list(Path.of("/run"))) {
            assertThat(files.map(file -> file.getFileName().toString())).noneMatch(name -> namespaces.stream().anyMatch(name::startsWith));
        }
    }

    private List<BitSet> sendToGroup(int count) throws Exception {
        probes.forEach(GroupProbe::take);
        sender.send(GroupProbe.GROUP, count, 100, 20_000);
        Thread.sleep(QUIET.toMillis());
        return probes.stream().map(GroupProbe::take).toList();
    }

    /** The shortest of 41 round trips, in milliseconds: what the network takes, without what a busy machine adds. */
    private static double least(GroupProbe from, Port to) throws Exception {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 41; i++) {
            least = Math.min(least, from.ask(to.ipv4()));
        }
        return least / 1e6;
    }

    private static BitSet both(BitSet one, BitSet other) {
        BitSet both = (BitSet) one.clone();
        both.and(other);
        return both;
    }

    /** Within five standard deviations of the binomial distribution. */
    private static void assertLoses(BitSet came, int sent, double part) {
        assertThat((double) sent - came.cardinality()).isBetween(sent * part - 5 * Math.sqrt(sent * part * (1 - part)),
                sent * part + 5 * Math.sqrt(sent * part * (1 - part)));
    }
}
