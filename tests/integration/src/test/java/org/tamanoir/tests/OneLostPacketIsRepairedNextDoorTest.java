package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.PacketCounter;

/**
 * Figure 15 of the active grid paper on real nodes: seven receivers at three sites, and exactly packet 28 is lost by one of the two hosts of
 * a site. The other host repairs it, and nobody else hears of it.
 */
@Tag("lab")
class OneLostPacketIsRepairedNextDoorTest {
    private static final int[] HOSTS = {2, 3, 2};
    private static final int LOST = 28;
    /** In the payload of UDP: 8 octets of UDP, 8 of ANEP, 20 of the stream option, then the kind; 6 is content, and flag 1 a repair. */
    private static final String CONTENT = "udp dport 5405 @th,288,8 6";

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
                        %s numgen inc mod 1000000 == %d counter name lost drop
                      }
                    }
                    """.formatted(CONTENT, LOST));
            PacketCounter repairs = unlucky.counter("udp sport != 0 @th,288,16 0x0601");
            List<LabProcess> receivers = new ArrayList<>();
            for (int site = 0; site < HOSTS.length; site++) {
                for (int host = 0; host < HOSTS[site]; host++) {
                    receivers.add(lab.receive(site, host));
                }
            }
            Path file = lab.file(200_000);
            JsonNode summary = lab.send(file, "--expect", "7", "--rate", "10M");

            assertThat(summary.path("sent").asInt()).isGreaterThan(LOST);
            assertThat(summary.path("repairs").asInt()).as("the source repairs nothing").isZero();
            assertThat(summary.path("nacks").asInt()).as("the source hears nothing of it").isZero();
            assertThat(SitesLab.count(lab.site(0), "nacked")).isEqualTo(1);
            assertThat(SitesLab.count(lab.site(0), "elected")).isEqualTo(1);
            assertThat(SitesLab.count(lab.site(0), "repairs_from_below")).isEqualTo(1);
            assertThat(SitesLab.count(lab.site(0), "repair_copies")).isEqualTo(1);
            assertThat(SitesLab.count(lab.site(0), "asked_above")).isZero();
            assertThat(repairs.count().packets()).as("one repair on the wire").isEqualTo(1);
            for (LabNode other : List.of(lab.core(), lab.site(1), lab.site(2))) {
                assertThat(SitesLab.count(other, "nacks")).isZero();
                assertThat(SitesLab.count(other, "repair_copies")).isZero();
            }
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
}
