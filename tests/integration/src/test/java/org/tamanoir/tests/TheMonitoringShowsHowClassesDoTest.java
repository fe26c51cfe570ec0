package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.lab.Flows;
import org.tamanoir.lab.PacketCounter;

/** What the monitoring says of the classes of a real DiffServ domain: empty, congested, and when the node at the other end is gone. */
@Tag("sweep")
class TheMonitoringShowsHowClassesDoTest {
    private static final String SERVICES = """
            services:
              qosinus: {ef: 30mbit, af-tcp: 30mbit, af-udp: 20mbit}
            """;
    private static final long BUDGET_OCTETS = 125_000;

    private QosLab lab;

    @AfterEach
    void close() {
        if (lab != null) {
            lab.close();
        }
    }

    private JsonNode path(String className) {
        for (JsonNode path : lab.ingress().get("/services/qos-monitoring/inspect/paths").path("paths")) {
            if (path.path("class").asText().equals(className)) {
                return path;
            }
        }
        throw new AssertionError(className + " is not measured");
    }

    /** Opens sessions until the service has come to the second node too, and one goes to it. */
    private void openAcross() {
        AtomicInteger port = new AtomicInteger(7000);
        await().atMost(QosLab.PATIENCE).untilAsserted(() -> assertThat(CommandLineTool.json(lab.run(lab.testbed().sender(1), "qos", "open", "--via",
                lab.via(), "--to", lab.to(port.getAndIncrement()), "--json", "maxDelayMs=10,traffic=1000000")).path("path")).hasSize(2));
    }

    private static double seconds(long from) {
        return (System.nanoTime() - from) / 1e9;
    }

    @Test
    void emptyCongestedAndGone() throws Exception {
        lab = new QosLab(SERVICES);
        PacketCounter probes = lab.testbed().egress().counter("udp dport 862");
        long began = System.nanoTime();
        openAcross();
        await().atMost(QosLab.PATIENCE).untilAsserted(() -> {
            for (String name : new String[] {"EF", "AF-TCP", "AF-UDP", "BE", "LBE"}) {
                assertThat(path(name).path("udpMbps").asDouble()).as("%s", path(name)).isPositive();
            }
        });
        JsonNode empty = path("BE");
        System.out.println("empty: " + empty + "\n       " + path("EF"));
        assertThat(empty.path("rttMs").asDouble()).isLessThan(5);
        assertThat(empty.path("udpMbps").asDouble()).isBetween(60.0, 110.0);
        assertThat(path("EF").path("dscpKept").asBoolean()).isTrue();

        Flows.Flow flood = lab.flood(8);
        long flooded = System.nanoTime();
        await().atMost(Duration.ofSeconds(5)).pollInterval(Duration.ofMillis(50)).untilAsserted(() -> assertThat(path("BE").path("rttMs").asDouble())
                .as("%s", path("BE")).isGreaterThan(20));
        System.out.printf("the queue shows after %.2f s%n", seconds(flooded));
        await().atMost(Duration.ofSeconds(5)).pollInterval(Duration.ofMillis(50)).untilAsserted(() -> {
            assertThat(path("BE").path("lossPct").asDouble()).as("%s", path("BE")).isGreaterThan(10);
            assertThat(path("BE").path("tcpMbps").asDouble()).as("%s", path("BE")).isLessThan(5);
        });
        System.out.printf("the loss after %.2f s%n", seconds(flooded));
        System.out.println("congested: " + path("BE") + "\n           " + path("EF"));
        assertThat(path("EF").path("rttMs").asDouble()).isLessThan(5);
        assertThat(path("EF").path("lossPct").asDouble()).isLessThan(5);
        flood.sent();
        long over = System.nanoTime();
        await().atMost(Duration.ofSeconds(10)).pollInterval(Duration.ofMillis(50)).untilAsserted(() -> {
            assertThat(path("BE").path("rttMs").asDouble()).as("%s", path("BE")).isLessThan(5);
            assertThat(path("BE").path("lossPct").asDouble()).as("%s", path("BE")).isLessThan(1);
        });
        System.out.printf("both are gone after %.2f s%n", seconds(over));

        long octets = probes.count().bytes();
        double bound = BUDGET_OCTETS * (seconds(began) + 1);
        System.out.printf("probes on the wire: %d octets in %.1f s%n", octets, seconds(began));
        assertThat((double) octets).as("octets of probes").isBetween(bound / 100, bound);

        lab.egress().kill();
        await().atMost(Duration.ofSeconds(5)).untilAsserted(() -> {
            assertThat(path("EF").path("lossPct").asDouble()).as("%s", path("EF")).isEqualTo(100);
            assertThat(path("EF").has("rttMs")).isFalse();
            assertThat(path("EF").path("ageSeconds").asDouble()).isGreaterThan(1);
        });
    }
}
