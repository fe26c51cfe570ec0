package org.tamanoir.services.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.service.Metrics.Histogram;
import org.tamanoir.service.Position;
import org.tamanoir.service.Transport;
import org.tamanoir.service.Verdict;
import org.tamanoir.service.testkit.ServiceHarness;
import org.tamanoir.service.testkit.StreamHarness;

class MonitoringTest {
    private static final long SECOND = 1_000_000_000L;
    /** Close to the wrap of the clock, so that comparing times instead of differences is found. */
    private static final long START = Long.MAX_VALUE - 5 * SECOND;

    private long now = START;
    private ServiceHarness harness;
    private StreamHarness stream;

    @BeforeEach
    void open() throws Exception {
        harness = ServiceHarness.start(new Monitoring(() -> now), Map.of());
        stream = harness.open(Position.TRANSIT, Transport.UDP);
    }

    @AfterEach
    void close() {
        harness.close();
    }

    @SuppressWarnings("unchecked")
    private Map<String, Object> report(String direction) {
        return (Map<String, Object>) stream.report().get(direction);
    }

    private static byte[] payload(int packetLength) {
        return new byte[packetLength - 8];
    }

    @Test
    void everyPacketPassesAndIsCountedInItsDirection() throws Exception {
        assertThat(stream.toDestination(payload(100)).verdict()).isSameAs(Verdict.PASS);
        assertThat(stream.toDestination(payload(200)).verdict()).isSameAs(Verdict.PASS);
        assertThat(stream.toSource(payload(8)).verdict()).isSameAs(Verdict.PASS);
        assertThat(report("toDestination")).containsEntry("packets", 2L).containsEntry("octets", 300L).doesNotContainKey("sequence")
                .doesNotContainKey("jitterMicros");
        assertThat(report("toSource")).containsEntry("packets", 1L).containsEntry("octets", 8L);
    }

    @Test
    void sizesFallIntoPowersOfTwoWithTheUpperBoundInside() throws Exception {
        for (int length : new int[] {8, 64, 65, 128, 129, 65_535}) {
            stream.toDestination(payload(length));
        }
        assertThat(report("toDestination").get("sizes")).isEqualTo(List.of(Map.of("upToOctets", 8L, "packets", 1L),
                Map.of("upToOctets", 64L, "packets", 1L), Map.of("upToOctets", 128L, "packets", 2L),
                Map.of("upToOctets", 256L, "packets", 1L), Map.of("upToOctets", 65_536L, "packets", 1L)));
        Histogram metric = harness.metrics().histogram("packet_size_bytes");
        assertThat(metric.counts()).containsExactly(2, 2, 1, 0, 0, 0, 0, 0, 0, 0, 1);
        assertThat(metric.sum()).isEqualTo(8 + 64 + 65 + 128 + 129 + 65_535);
    }

    @Test
    void timesBetweenPacketsComeFromTheReadNotFromAClock() throws Exception {
        long[] gaps = {0, 0, 1, 1_000, 20 * SECOND};
        long at = START;
        stream.at(at).toDestination(payload(8));
        for (long gap : gaps) {
            at += gap;
            stream.at(at).toDestination(payload(8));
        }
        assertThat(report("toDestination").get("interArrival")).isEqualTo(List.of(Map.of("upToNanos", 0L, "packets", 2L),
                Map.of("upToNanos", 1L, "packets", 1L), Map.of("upToNanos", 1_023L, "packets", 1L),
                Map.of("upToNanos", (1L << 35) - 1, "packets", 1L)));
        Histogram metric = harness.metrics().histogram("inter_arrival_seconds");
        assertThat(metric.counts()).startsWith(4, 0).endsWith(0, 1);
        assertThat(metric.sum()).isCloseTo(20.000001, within(1e-9));
    }

    @Test
    void whatIsReadTogetherCountsAsIfItHadComeOneByOne() throws Exception {
        StreamHarness alone = harness.open(Position.TRANSIT);
        StreamHarness together = harness.open(Position.TRANSIT);
        for (int turn = 0; turn < 30; turn++) {
            List<byte[]> read = turn % 3 == 0 ? List.of(payload(65), payload(65), payload(65)) : List.of(payload(8), payload(64), payload(9_000), payload(64));
            long at = START + turn * (SECOND / 5);
            for (byte[] each : read) {
                alone.at(at).toDestination(each);
                alone.at(at).toSource(each);
            }
            together.at(at).toDestinationTogether(read);
            together.at(at).toSourceTogether(read);
        }
        now = START + 6 * SECOND;
        assertThat(together.report()).isEqualTo(alone.report());
    }

    @Test
    void ratesCoverTheLastSecondTheLastTenAndTheWholeLife() throws Exception {
        // 100 packets of 1000 octets in each of the first three seconds, across the wrap of the clock, then silence.
        for (int i = 0; i < 300; i++) {
            stream.at(START + i * (SECOND / 100)).toDestination(payload(1_000));
        }
        now = START + 3 * SECOND;
        assertThat(report("toDestination")).containsEntry("packetsPerSecond", 100.0).containsEntry("bitsPerSecond", 800_000.0)
                .containsEntry("lastSecond", Map.of("packetsPerSecond", 100.0, "bitsPerSecond", 800_000.0))
                .containsEntry("lastTenSeconds", Map.of("packetsPerSecond", 30.0, "bitsPerSecond", 240_000.0));
        now = START + 6 * SECOND;
        assertThat(report("toDestination")).containsEntry("seconds", 6.0).containsEntry("packetsPerSecond", 50.0)
                .containsEntry("lastSecond", Map.of("packetsPerSecond", 0.0, "bitsPerSecond", 0.0))
                .containsEntry("lastTenSeconds", Map.of("packetsPerSecond", 30.0, "bitsPerSecond", 240_000.0));
        now = START + 3_600 * SECOND;
        assertThat(report("toDestination")).containsEntry("lastTenSeconds", Map.of("packetsPerSecond", 0.0, "bitsPerSecond", 0.0));
    }

    @Test
    void sequenceNumbersTellLossDuplicatesAndOrderOfEachDirection() throws Exception {
        for (long sequence : new long[] {1, 2, 4, 4, 6, 3}) {
            stream.toDestination(new PacketOptions().stream(9, sequence), payload(50));
        }
        stream.toSource(new PacketOptions().stream(9, 1), payload(50));
        assertThat(report("toDestination")).extractingByKey("sequence", InstanceOfAssertFactories.MAP).containsEntry("packets", 6L)
                .containsEntry("lost", 1L).containsEntry("duplicates", 1L).containsEntry("reordered", 1L).containsEntry("furthestBehind", 4L);
        assertThat(report("toSource")).extractingByKey("sequence", InstanceOfAssertFactories.MAP).containsEntry("lost", 0L);
        assertThat(harness.metrics().value("lost_packets")).isEqualTo(1);
        assertThat(harness.metrics().value("duplicate_packets")).isEqualTo(1);
        assertThat(harness.metrics().value("reordered_packets")).isEqualTo(1);
    }

    @Test
    void jitterIsThatOfRfc3550() throws Exception {
        // Sent every 10 ms; transit times 5, 6, 5, 9 ms: |D| = 1, 1, 4 ms.
        long[] transitMillis = {5, 6, 5, 9};
        for (int i = 0; i < transitMillis.length; i++) {
            long sent = i * 10_000_000L;
            stream.at(START + sent + transitMillis[i] * 1_000_000).toDestination(new PacketOptions().timestamp(1 + sent), payload(50));
        }
        double first = 1_000 / 16.0;
        double second = first + (1_000 - first) / 16;
        double third = second + (4_000 - second) / 16;
        assertThat(report("toDestination").get("jitterMicros")).asInstanceOf(InstanceOfAssertFactories.DOUBLE)
                .isCloseTo(third, within(1e-6));
    }

    @Test
    void totalsKeepWhatEndedStreamsHaveCounted() throws Exception {
        StreamHarness other = harness.open(Position.TRANSIT);
        stream.toDestination(payload(100));
        other.toDestination(payload(50));
        other.toSource(payload(20));
        assertThat(harness.metrics().value("streams")).isEqualTo(2);
        other.close();
        assertThat(harness.metrics().value("streams")).isEqualTo(1);
        assertThat(harness.metrics().value("packets")).isEqualTo(2);
        assertThat(harness.metrics().value("bytes")).isEqualTo(150);
        assertThat(harness.metrics().value("return_bytes")).isEqualTo(20);
        assertThat(harness.metrics().histogram("packet_size_bytes").counts()[0]).isEqualTo(2);
        stream.toDestination(payload(100));
        assertThat(harness.metrics().value("bytes")).isEqualTo(250);
    }
}
