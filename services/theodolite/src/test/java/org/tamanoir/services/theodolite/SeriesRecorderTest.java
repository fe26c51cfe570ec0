package org.tamanoir.services.theodolite;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tamanoir.paths.series.Series;
import org.tamanoir.paths.wire.SeriesLine;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.tcp.TcpConnection;
import org.tamanoir.service.tcp.TcpStreams.Ended;
import org.tamanoir.service.tcp.TcpStreams.Report;
import org.tamanoir.service.tcp.TcpStreams.StreamState;
import org.tamanoir.service.testkit.RecordedTcp;

/** The TCP state of streams that carry much, recorded minute by minute. */
class SeriesRecorderTest {
    private static final InetSocketAddress SOURCE = new InetSocketAddress("192.0.2.7", 4000);
    private static final InetSocketAddress DESTINATION = new InetSocketAddress("198.51.100.9", 80);
    private static final long LOOK = 100_000_000;
    /** The beginning of a minute. */
    private static final long MILLIS = 1_764_137_220_000L;

    private final SampleBuffer chunks = new SampleBuffer("naples", 1, 1000);
    private final SeriesRecorder recorder = new SeriesRecorder(TheodoliteSettings.of(new MapConfiguration("theodolite", Map.of("series", "2")), "naples"), chunks);

    private static StreamState stream(long number, int look) {
        TcpConnection before = RecordedTcp.connection(SOURCE, Map.of("bytes_received", 1000L * look));
        TcpConnection after = RecordedTcp.connection(DESTINATION, Map.of("rtt", 20_000L + look % 7, "snd_cwnd", 10L, "bytes_sent", 1000L * look));
        return new StreamState(number, SOURCE, DESTINATION, List.of(0x5401), 0, 0, look * LOOK, 1000L * look, 0, before, after, null);
    }

    private List<SeriesLine> told() {
        return new String(chunks.batch(), UTF_8).lines().map(SeriesLine::parse).toList();
    }

    private void take(int look, List<StreamState> streams, List<Ended> ended) {
        recorder.take(new Report(streams, ended, 0), look * LOOK, MILLIS + look * LOOK / 1_000_000);
    }

    /** Streams 1 to 3 are looked at often, and 4 once a second. */
    @Test
    void thoseThatCarryMuchAreRecordedAsFarAsThereMayBe() {
        for (int look = 1; look <= 1300; look++) {
            List<StreamState> streams = new ArrayList<>(List.of(stream(1, look), stream(2, look), stream(3, look)));
            if (look % 10 == 0) {
                streams.add(stream(4, look));
            }
            take(look, streams, List.of());
        }
        take(1301, List.of(), List.of(new Ended(stream(1, 1300), 1301 * LOOK, null)));
        assertThat(told()).extracting(SeriesLine::stream).containsOnly(1L, 2L);
        List<SeriesLine> first = told().stream().filter(line -> line.stream() == 1 && line.isAfter()).toList();
        assertThat(first).extracting(line -> line.series().times().length).as("each look once from the second on, which says how often they come; in three minutes").containsExactly(598, 600, 101);
        assertThat(first).extracting(line -> line.series().begins()).containsExactly(MILLIS + 200, MILLIS + 60_000, MILLIS + 120_000);
        Series series = first.get(1).series();
        assertThat(series.columns().keySet()).as("what the kernel knows").containsExactly("octets", "snd_cwnd", "rtt", "bytes_sent");
        assertThat(series.columns().get("bytes_sent")[0]).isEqualTo(600_000);
        assertThat(series.times()[599]).isEqualTo(59_900);
        assertThat(told().stream().filter(line -> line.stream() == 1 && !line.isAfter())).hasSize(3);

        take(1400, List.of(), List.of());
        assertThat(recorder.recorded()).as("a stream of which nobody hears").isZero();
        assertThat(told().stream().filter(line -> line.stream() == 2 && line.isAfter())).hasSize(3);
    }
}
