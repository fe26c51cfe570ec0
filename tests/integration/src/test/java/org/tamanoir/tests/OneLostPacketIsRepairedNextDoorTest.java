package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.PacketCounter;

/**
 * Figure 15 of the active grid paper on real nodes: seven receivers at three sites, and one of the two hosts of a site loses exactly one packet.
 * The other host repairs it, and nobody else hears of it.
 *
 * <p>The host loses packet 28 and packet 6028. What is held against the figure is the second loss: at the first one every program does for the
 * first time what it does about losses, and a JVM that loads classes meanwhile may be later than the few milliseconds after which a receiver asks
 * again. The figure itself, with packet 28, is in the simulation (Figure15).
 */
@Tag("lab")
class OneLostPacketIsRepairedNextDoorTest {
    private static final int[] HOSTS = {2, 3, 2};
    private static final int LOST = 28;
    private static final int AGAIN = 6000;
    /** In the payload of UDP: 8 octets of UDP, 8 of ANEP, 20 of the stream option, then the kind; 6 is content, and flag 1 a repair. */
    private static final String CONTENT = "udp dport 5405 @th,288,8 6";
    private static final List<String> COUNTERS = List.of("nacks", "nacked", "elected", "repairs_from_below", "repair_copies", "asked_above");

    @Test
    void theOtherHostRepairsIt() throws Exception {
        try (SitesLab lab = new SitesLab(3, 3, false)) {
            Host unlucky = lab.testbed().sites().get(0).receivers().get(0);
            unlucky.nft("""
                    table inet one {
                      counter lost {
                      }
                      chain arriving {
                        type filter hook prerouting priority -310;
                        %s numgen inc mod %d == %d counter name lost drop
                      }
                    }
                    """.formatted(CONTENT, AGAIN, LOST));
            PacketCounter repairs = unlucky.counter("udp sport != 0 @th,288,16 0x0601");
            List<LabProcess> receivers = new ArrayList<>();
            for (int site = 0; site < HOSTS.length; site++) {
                for (int host = 0; host < HOSTS[site]; host++) {
                    receivers.add(lab.receive(site, host));
                }
            }
            Path file = lab.file(9_000_000);
            CompletableFuture<JsonNode> sending = CompletableFuture.supplyAsync(() -> send(lab, file));
            await().atMost(SitesLab.PATIENCE).untilAsserted(() -> assertThat(SitesLab.count(lab.site(0), "repair_copies")).isPositive());
            Thread.sleep(500);
            List<Map<String, Long>> before = counts(lab);
            long repairsBefore = repairs.count().packets();
            assertThat(lost(unlucky)).as("the second loss comes after the first one has been repaired").isEqualTo(1);

            assertThat(sending.get().path("sent").asInt()).isGreaterThan(LOST + AGAIN).isLessThan(LOST + 2 * AGAIN);
            assertThat(lost(unlucky)).isEqualTo(2);
            List<Map<String, Long>> heard = counts(lab);
            for (int i = 0; i < heard.size(); i++) {
                Map<String, Long> node = heard.get(i);
                before.get(i).forEach((name, count) -> node.merge(name, -count, Long::sum));
            }
            assertThat(heard.get(0)).as("the site asks its other host, which repairs").isEqualTo(Map.of("nacks", 1L, "nacked", 1L, "elected", 1L,
                    "repairs_from_below", 1L, "repair_copies", 1L, "asked_above", 0L));
            assertThat(repairs.count().packets() - repairsBefore).as("repairs on the wire").isEqualTo(1);
            assertThat(heard.subList(1, heard.size())).as("nobody else hears of it, the source's node least of all")
                    .allSatisfy(node -> assertThat(node.values()).containsOnly(0L));
            for (int site = 0; site < HOSTS.length; site++) {
                for (int host = 0; host < HOSTS[site]; host++) {
                    assertThat(lab.output(lab.testbed().sites().get(site).receivers().get(host)).resolve("file.bin")).hasSameBinaryContentAs(file);
                }
            }
            for (LabProcess receiver : receivers) {
                assertThat(receiver.awaitExit(SitesLab.PATIENCE)).isZero();
            }
        }
    }

    private static JsonNode send(SitesLab lab, Path file) {
        try {
            return lab.send(file, "--expect", "7", "--rate", "10M");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What the nodes have counted: the site of the unlucky host, the others, the source's. */
    private static List<Map<String, Long>> counts(SitesLab lab) {
        List<Map<String, Long>> counts = new ArrayList<>();
        for (LabNode node : List.of(lab.site(0), lab.site(1), lab.site(2), lab.core())) {
            Map<String, Long> of = new HashMap<>();
            COUNTERS.forEach(name -> of.put(name, SitesLab.count(node, name)));
            counts.add(of);
        }
        return counts;
    }

    private static long lost(Host unlucky) {
        Matcher packets = Pattern.compile("packets (\\d+)").matcher(unlucky.run("nft", "list", "counter", "inet", "one", "lost").output());
        return packets.find() ? Long.parseLong(packets.group(1)) : -1;
    }
}
