package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.lab.Capture;
import org.tamanoir.lab.IpPacket;

/**
 * A Type ID that may have a megabyte a second, single rate (RFC 2697), gets that much: what is green goes on as it came, what is yellow
 * with another code point, and what is red ends, in the kernel and in user space alike.
 */
@Tag("lab")
@Timeout(60)
class APolicedTypeTest {
    private static final int CIR = 1_000_000;
    private static final int CBS = 200_000;
    private static final int EBS = 100_000;
    private static final int YELLOW = 14;
    /** Octets of each IP packet. */
    private static final int SIZE = 1000;
    private static final int HEADERS = 28;
    /** Every 10 ms so many: more than twice the rate. */
    private static final int BURST = 25;
    private static final long BURST_NANOS = 10_000_000;
    /** More than twice what the bucket lasts. */
    private static final long DRAINED_NANOS = 300_000_000;
    private static final String RULES = """
            rules: [{name: police, match: {type: 0x5500}, actions: [count,
              {police: {cir: 1000000, cbs: 200000, ebs: 100000, green: pass, yellow: {dscp: 14}, red: drop}}, forward]}]
            """;

    @ParameterizedTest
    @CsvSource({"auto, 3, 0.01", "off, 2, 0.03"})
    void getsItsRateAndItsMarks(String use, int seconds, double tolerance) throws Exception {
        try (LightLab lab = new LightLab(); Capture capture = Capture.at(lab.receiver()); UdpPeer sender = lab.peerAtSender();
                UdpPeer receiver = lab.peerAtReceiver()) {
            LabNode node = lab.node("kernel: {use: " + use + "}\n" + RULES);
            byte[] datagram = datagram(receiver.port());
            // The first ones bring the flow into the kernel; by the time of the others the buckets are full again.
            if (use.equals("auto")) {
                node.inKernel();
            }
            await().atMost(LightLab.PATIENCE).until(() -> {
                sender.send(datagram, lab.address());
                receiver.receive();
                return use.equals("off") || node.done("forwarded") > 0;
            });
            Thread.sleep(300);
            capture.clear();
            JsonNode before = node.rule("operator/police");

            long start = System.nanoTime();
            int sent = 0;
            JsonNode drained = null;
            double drainedFrom = 0;
            double drainedTo = 0;
            for (long next = start; next - start < seconds * 1_000_000_000L; next += BURST_NANOS) {
                while (System.nanoTime() < next) {
                    Thread.sleep(1);
                }
                for (int i = 0; i < BURST; i++, sent++) {
                    sender.send(datagram, lab.address());
                }
                // Once something is red the bucket is empty, and no wait of the sender or of the node below CBS / CIR can lose a token any more.
                if (drained == null && next - start >= DRAINED_NANOS) {
                    drainedFrom = (System.nanoTime() - start) / 1e9;
                    JsonNode now = node.rule("operator/police");
                    drainedTo = (System.nanoTime() - start) / 1e9;
                    drained = now.path("red").asLong() > before.path("red").asLong() ? now : null;
                }
            }
            double took = (System.nanoTime() - start) / 1e9;

            int all = sent;
            await().atMost(LightLab.PATIENCE).pollInterval(Duration.ofMillis(10)).untilAsserted(() -> assertThat(grown(node, before, "packets")).isEqualTo(all));
            // Tokens come until the last packet is looked at, which may have waited in a queue.
            double until = (System.nanoTime() - start) / 1e9;
            long green = grown(node, before, "green");
            long yellow = grown(node, before, "yellow");
            long red = grown(node, before, "red");
            assertThat(green + yellow + red).isEqualTo(sent);
            assertThat(grown(node, before, "dropped")).isEqualTo(red);
            assertThat(grown(node, before, "forwarded")).isEqualTo(green + yellow);
            assertThat(red).as("red packets").isGreaterThan(sent / 4);
            assertThat((double) (green * SIZE - CBS)).as("octets beyond the burst, in %s s", until).isLessThan(CIR * until * (1 + tolerance) + SIZE);
            assertThat((double) grown(node, drained, "green") * SIZE).as("octets since the bucket was empty, from %s or %s to %s or %s s", drainedFrom, drainedTo, took, until)
                    .isBetween(CIR * (took - drainedTo) * (1 - tolerance) - SIZE, CIR * (until - drainedFrom) * (1 + tolerance) + SIZE);
            assertThat(yellow).as("yellow packets").isEqualTo(EBS / SIZE);

            Predicate<IpPacket> here = packet -> packet.isTo(receiver.port());
            List<IpPacket> arrived = capture.await((int) (green + yellow), LightLab.PATIENCE, here);
            assertThat(arrived.stream().filter(packet -> packet.dscp() == 0).count()).as("passed as they came").isEqualTo(green);
            assertThat(arrived.stream().filter(packet -> packet.dscp() == YELLOW).count()).as("marked").isEqualTo(yellow);
            assertThat(arrived).hasSize((int) (green + yellow));
            if (use.equals("auto")) {
                assertThat(node.done("forwarded")).as("carried by the kernel").isGreaterThanOrEqualTo(green + yellow);
                assertThat(node.done("dropped")).isEqualTo(red);
            }
        }
    }

    private static long grown(LabNode node, JsonNode before, String counter) {
        return node.rule("operator/police").path(counter).asLong() - before.path(counter).asLong();
    }

    private static byte[] datagram(int port) {
        byte[] bare = AnepPeer.opening(0x5500, AnepPeer.to("10.0.2.2", port, Delivery.ANEP).hops(4));
        return AnepPeer.packet(new PacketBuilder(0x5500).options(AnepPeer.to("10.0.2.2", port, Delivery.ANEP).hops(4))
                .payload(Unpooled.wrappedBuffer(new byte[SIZE - HEADERS - bare.length])));
    }
}
