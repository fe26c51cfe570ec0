package org.tamanoir.services.theodolite;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tamanoir.paths.wire.Line;
import org.tamanoir.paths.wire.StreamLine;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.tcp.TcpStreams.Ended;
import org.tamanoir.service.tcp.TcpStreams.Reason;
import org.tamanoir.service.tcp.TcpStreams.Report;
import org.tamanoir.service.tcp.TcpStreams.StreamState;
import org.tamanoir.service.testkit.ServiceHarness;

/** What the streams of a node did, as the observatory is told. */
class StreamReportsTest {
    private static final long SECOND = 1_000_000_000;
    private static final long MILLIS = 1_764_137_260_000L;
    private static final Reason SLOW = new Reason("receiver", 0.9, true, "the receiver read too little");
    private static final Reason FREE = new Reason("nothing", 0, true, "nothing holds it up");

    private final SampleBuffer samples = new SampleBuffer("naples", 1, 1000);
    private StreamReports reports = reports(Map.of());

    private StreamReports reports(Map<String, String> options) {
        return new StreamReports(TheodoliteSettings.of(new MapConfiguration("theodolite", options), "naples"), codePoint -> codePoint == 46 ? "ef" : "be", samples);
    }

    private static StreamState stream(long number, String destination, int typeId, long octets, Reason reason) {
        return new StreamState(number, new InetSocketAddress("192.0.2.7", 4000), new InetSocketAddress(destination, 80), List.of(typeId), 46, 0, 0, octets, 0, null, null, reason);
    }

    private List<StreamLine> told() {
        List<StreamLine> lines = new ArrayList<>();
        new String(samples.batch(), UTF_8).lines().map(Line::parse).forEach(line -> lines.add((StreamLine) line));
        return lines;
    }

    private void take(double seconds, List<StreamState> streams, List<Ended> ended) {
        reports.take(new Report(streams, ended, 0), (long) (seconds * SECOND), MILLIS + (long) (seconds * 1000));
    }

    private static Ended ended(StreamState stream, double seconds) {
        return new Ended(stream, (long) (seconds * SECOND), null);
    }

    @Test
    void aLongStreamIsToldOnceAMinuteAndAtItsEnd() {
        for (int i = 1; i <= 70; i++) {
            take(i, List.of(stream(1, "198.51.100.9", 0x5401, i * 10_000_000L, i <= 20 ? FREE : SLOW), stream(2, "198.51.100.9", 0x5401, 10_000, SLOW),
                    stream(3, "198.51.100.9", Theodolite.TYPE, i * 10_000_000L, SLOW)), List.of());
        }
        take(71, List.of(), List.of(ended(stream(1, "198.51.100.9", 0x5401, 750_000_000, FREE), 70.5), ended(stream(2, "198.51.100.9", 0x5401, 10_000, SLOW), 70.5),
                ended(stream(3, "198.51.100.9", Theodolite.TYPE, 800_000_000, SLOW), 70.5), ended(stream(4, "2001:db8:1:2::9", 0x5401, 5_000_000, null), 70.6)));
        List<StreamLine> lines = told();
        assertThat(lines).extracting(StreamLine::stream).as("small ones and those of theodolites are left out").containsExactly(1L, 1L, 4L);
        StreamLine first = lines.get(0);
        assertThat(List.of(first.source(), first.destination(), first.qosClass(), first.cause(), first.sentence())).containsExactly("192.0.2.7", "198.51.100.9", "ef", "receiver", "the receiver read too little");
        assertThat(first.share()).isCloseTo(40 * 0.9 / 60, within(1e-9));
        assertThat(first.octets()).isEqualTo(600_000_000);
        assertThat(first.seconds()).isEqualTo(60);
        assertThat(first.time()).isEqualTo(MILLIS + 60_000);
        assertThat(first.streams()).as("the small one is beside it").isEqualTo(2);
        assertThat(first.ended()).isFalse();
        StreamLine last = lines.get(1);
        assertThat(last.ended()).isTrue();
        assertThat(List.of(last.octets(), last.size(), last.time())).containsExactly(150_000_000L, 750_000_000L, MILLIS + 70_500);
        assertThat(last.seconds()).isEqualTo(10.5);
        assertThat(lines.get(2).cause()).isEqualTo("unknown");
        assertThat(reports.watched()).isZero();
    }

    @Test
    void aMinuteOfSilenceSaysNothing() {
        for (int i = 1; i <= 200; i++) {
            take(i, List.of(stream(1, "198.51.100.9", 0x5401, 2_000_000, SLOW)), List.of());
        }
        assertThat(told()).hasSize(1);
        take(900, List.of(), List.of());
        assertThat(reports.watched()).as("it has ended without a word").isZero();
    }

    @Test
    void addressesAreCutIfTheOperatorWants() {
        reports = reports(Map.of("address-prefix", "24, 48", "least-stream", "10"));
        take(1, List.of(), List.of(ended(stream(1, "2001:db8:1:2::9", 0x5401, 11, null), 0.5)));
        assertThat(told().get(0).source()).isEqualTo("192.0.2.0/24");
        assertThat(told().get(0).destination()).isEqualTo("2001:db8:1:0:0:0:0:0/48");
        for (String bad : List.of("24", "33, 48", "24, 129", "/24")) {
            assertThatThrownBy(() -> reports(Map.of("address-prefix", bad))).as(bad).hasMessageContaining("EE-501 address-prefix is");
        }
    }

    /** Wrong: streams that push out what probes have found. */
    @Test
    void thereAreOnlySoManyAMinute() {
        for (int i = 0; i < 1000; i++) {
            take(1, List.of(), List.of(ended(stream(i, "198.51.100.9", 0x5401, 2_000_000, null), 0.5)));
        }
        assertThat(told()).hasSize(600);
        assertThat(reports.leftOut()).isEqualTo(400);
        take(61, List.of(), List.of(ended(stream(1001, "198.51.100.9", 0x5401, 2_000_000, null), 60.5)));
        assertThat(told()).hasSize(601);
    }

    @Test
    void theServiceFollowsTheStreamsOfItsNodeUnlessItMayNot() throws Exception {
        try (ServiceHarness harness = ServiceHarness.start(new Theodolite(), Map.of())) {
            assertThat(harness.tcp().period()).hasSeconds(1);
        }
        try (ServiceHarness harness = ServiceHarness.start(new Theodolite(), Map.of("series", "2"))) {
            assertThat(harness.tcp().period()).hasMillis(100);
        }
        try (ServiceHarness harness = ServiceHarness.start(new Theodolite(), Map.of("streams", "false"))) {
            assertThat(harness.tcp().period()).isNull();
        }
    }
}
