package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tamanoir.anep.Delivery;
import org.tamanoir.lab.Capture;
import org.tamanoir.lab.IpPacket;

/**
 * Every vector of the wire format, whole and cut at every octet, sent as a datagram to a node with the kernel path and to one without: the
 * same errors are counted, the same error packets come back, the same packets go on, and no other.
 */
@Tag("lab")
@Timeout(120)
class MalformedDatagramsCostTheSameOnBothPathsTest {
    private static final Path VECTORS = Path.of("../../ee-core/anep/src/test/resources/vectors");
    private static final int ELSEWHERE = 7000;
    /** Whatever a vector says, its packet is led to one place, so that what goes on can be seen. */
    private static final String RULES = """
            rules: [{name: all, actions: [count, {forward: '10.0.2.2:7000'}]}]
            limits: {datagram-idle: 60s, streams-per-source: 1000}
            """;

    /** Of a stream that the kernel carries. */
    private static final byte[] FLOW = AnepPeer.opening(Grid.MONITORING, AnepPeer.to("10.0.2.2", ELSEWHERE, Delivery.ANEP).stream(42, 7).hops(9));

    private record Outcome(Map<String, Long> errors, List<String> forwarded, List<String> answers, String rule) {
    }

    @Test
    void everyVectorAndEveryTruncation() throws Exception {
        Set<String> datagrams = new LinkedHashSet<>();
        List<String> good = vectors("good.txt");
        good.forEach(octets -> truncations(octets, datagrams));
        good.forEach(octets -> datagrams.add(addressed(octets)));
        datagrams.addAll(vectors("malformed.txt"));
        datagrams.add(HexFormat.of().formatHex(FLOW));
        // Nobody takes a datagram of nothing for a packet, and Java cannot tell it from none.
        datagrams.remove("");
        assertThat(datagrams).hasSizeGreaterThan(500);
        try (LightLab lab = new LightLab()) {
            Outcome inKernel = run(lab, "required", datagrams);
            Outcome inNode = run(lab, "off", datagrams);
            assertThat(inKernel.errors()).as("errors").isEqualTo(inNode.errors()).containsKeys("EE-101", "EE-102", "EE-103", "EE-104",
                    "EE-105", "EE-106", "EE-107", "EE-108");
            assertThat(inKernel.forwarded()).as("packets at the next hop").isEqualTo(inNode.forwarded()).hasSizeGreaterThan(20);
            assertThat(inKernel.answers()).as("error packets").isEqualTo(inNode.answers());
            assertThat(inKernel.rule()).as("counters of the rule").isEqualTo(inNode.rule());
        }
    }

    private static Outcome run(LightLab lab, String use, Set<String> datagrams) throws Exception {
        LabNode node = lab.node("kernel: {use: " + use + "}\n" + RULES);
        byte[] last = AnepPeer.opening(0x57FF, AnepPeer.to("10.0.2.2", ELSEWHERE, Delivery.ANEP).stream(99, 99).hops(9));
        try (UdpPeer sender = lab.peerAtSender(); UdpPeer receiver = new UdpPeer(lab.receiver(), lab.far().second().ipv4(), ELSEWHERE);
                Capture atReceiver = Capture.at(lab.receiver()); Capture atSender = Capture.at(lab.sender())) {
            // So that a flow of the kernel is there for some of what follows.
            for (int i = 0; i < 5; i++) {
                sender.send(FLOW, lab.address());
                receiver.receive();
            }
            // Twice: the second of a good one finds the flow that the first has made.
            for (int round = 0; round < 2; round++) {
                int sent = 0;
                for (String datagram : datagrams) {
                    sender.send(HexFormat.of().parseHex(datagram), lab.address());
                    if (++sent % 50 == 0) {
                        // Not more than the node's socket holds.
                        Thread.sleep(20);
                    }
                }
            }
            sender.send(last, lab.address());
            String end = HexFormat.of().formatHex(last, 8, 16);
            await().atMost(LightLab.PATIENCE).until(() -> !atReceiver.packets(packet -> packet.isTo(ELSEWHERE) && text(packet).contains(end)
                    && text(packet).startsWith("018057ff")).isEmpty());
            if (use.equals("required")) {
                assertThat(node.done("forwarded")).as("some went by the kernel, %s", node.kernelCounters()).isGreaterThanOrEqualTo(2);
            }
            Thread.sleep(200);
            String rule = node.rule("operator/all").path("packets") + " " + node.rule("operator/all").path("octets");
            Outcome outcome = new Outcome(node.errors(), sorted(atReceiver.packets(packet -> packet.isTo(ELSEWHERE))),
                    sorted(atSender.packets(packet -> packet.isTo(sender.port()))), rule);
            node.end();
            return outcome;
        }
    }

    private static String text(IpPacket packet) {
        return HexFormat.of().formatHex(packet.payload());
    }

    private static List<String> sorted(List<IpPacket> packets) {
        assertThat(packets).allMatch(IpPacket::hasGoodChecksum);
        return packets.stream().map(packet -> packet.dscp() + " " + text(packet)).sorted().toList();
    }

    /** The same packet with a destination and hops, where it has none: so that it goes on. Most have no checksum, which would be wrong then. */
    private static String addressed(String octets) {
        StringBuilder options = new StringBuilder();
        options.append(has(octets, 0x0002) ? "" : "00020003000000010a000202").append(has(octets, 0xC002) ? "" : "c00200021b580000")
                .append(has(octets, 0x8005) ? "" : "8005000209000000");
        int more = options.length() / 2;
        return octets.substring(0, 8) + String.format("%04x%04x", word(octets, 4) + more / 4, word(octets, 6) + more) + options
                + octets.substring(16);
    }

    private static boolean has(String octets, int option) {
        for (int at = 8; at < word(octets, 4) * 4; at += word(octets, at + 2) * 4) {
            if ((word(octets, at) & 0xBFFF) == (option & 0xBFFF)) {
                return true;
            }
        }
        return false;
    }

    /** The 16 bits at an octet. */
    private static int word(String octets, int at) {
        return Integer.parseInt(octets.substring(2 * at, 2 * at + 4), 16);
    }

    private static void truncations(String octets, Set<String> datagrams) {
        for (int length = 2; length <= octets.length(); length += 2) {
            datagrams.add(octets.substring(0, length));
            if (length >= 16) {
                // With a packet length that fits, what is missing has to be found out.
                datagrams.add(octets.substring(0, 12) + String.format("%04x", length / 2) + octets.substring(16, length));
            }
        }
    }

    private static List<String> vectors(String file) throws IOException {
        List<String> all = new ArrayList<>();
        for (String record : Files.readString(VECTORS.resolve(file)).split("\n\n")) {
            String octets = record.lines().filter(line -> line.startsWith("octets ")).map(line -> line.substring("octets ".length()))
                    .collect(Collectors.joining()).replace(" ", "").toLowerCase(Locale.ROOT);
            if (!octets.isEmpty()) {
                all.add(octets);
            }
        }
        assertThat(all).as("vectors of %s", file).hasSizeGreaterThan(15);
        return all;
    }

}
