package org.tamanoir.services.theodolite;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.paths.series.Series;
import org.tamanoir.paths.wire.SeriesLine;
import org.tamanoir.service.tcp.TcpConnection;
import org.tamanoir.service.tcp.TcpStreams.Report;
import org.tamanoir.service.tcp.TcpStreams.StreamState;

/**
 * Records what the kernel says of both connections of streams that the node looks at often, since they carry much: a chunk a minute. Only so many at once; who comes
 * first is recorded until it ends or carries little.
 */
final class SeriesRecorder {
    /** The node looks at those that carry much every tenth of a second, at others once a second. */
    private static final long OFTEN_NANOS = 500_000_000;
    private static final long MINUTE_MILLIS = 60_000;
    private static final String OCTETS = "octets";
    private static final String[] BEFORE = {"bytes_received", "data_segs_in", "rcv_ooopack", "rcv_wnd", "rcv_rtt", "last_data_recv", "rtt"};
    private static final String[] AFTER = {"snd_cwnd", "snd_mss", "snd_wnd", "unacked", "notsent_bytes", "ca_state", "rtt", "min_rtt", "bytes_sent", "bytes_retrans", "delivered", "delivery_rate", "busy_time",
        "rwnd_limited", "sndbuf_limited"};

    private final TheodoliteSettings settings;
    private final SampleBuffer chunks;
    /** When a stream was looked at last; of those that are recorded, what was seen since the last chunk. */
    private final Map<Long, Long> seen = new HashMap<>();
    private final Map<Long, Recording> recordings = new HashMap<>();

    SeriesRecorder(TheodoliteSettings settings, SampleBuffer chunks) {
        this.settings = settings;
        this.chunks = chunks;
    }

    /** One stream in one minute: a row for each look, whose first value is the time. */
    private final class Recording {
        private StreamState last;
        private final List<long[]> before = new ArrayList<>();
        private final List<long[]> after = new ArrayList<>();

        void add(StreamState stream, long millis) {
            if (!before.isEmpty() && (millis / MINUTE_MILLIS != before.get(0)[0] / MINUTE_MILLIS || before.size() >= Series.MOST_SAMPLES)) {
                close();
            }
            last = stream;
            before.add(row(stream, stream.before(), BEFORE, millis));
            if (stream.after() != null) {
                after.add(row(stream, stream.after(), AFTER, millis));
            }
        }

        private long[] row(StreamState stream, TcpConnection connection, String[] fields, long millis) {
            long[] row = new long[2 + fields.length];
            row[0] = millis;
            row[1] = stream.octets();
            for (int i = 0; i < fields.length; i++) {
                row[2 + i] = connection.field(fields[i]);
            }
            return row;
        }

        void close() {
            chunk(last, false, BEFORE, before);
            chunk(last, true, AFTER, after);
            before.clear();
            after.clear();
        }
    }

    private void chunk(StreamState stream, boolean isAfter, String[] fields, List<long[]> rows) {
        if (rows.isEmpty()) {
            return;
        }
        byte[] code = series(fields, rows).encode();
        if (code.length > Series.MOST_OCTETS && rows.size() > 1) {
            chunk(stream, isAfter, fields, rows.subList(0, rows.size() / 2));
            chunk(stream, isAfter, fields, rows.subList(rows.size() / 2, rows.size()));
            return;
        }
        long time = rows.get(rows.size() - 1)[0];
        chunks.add((name, boot, number) -> new SeriesLine(name, boot, number, time, stream.number(), isAfter, settings.shown(stream.source().getAddress()), settings.shown(stream.destination().getAddress()), code));
    }

    private static Series series(String[] fields, List<long[]> rows) {
        long begins = rows.get(0)[0];
        Map<String, long[]> columns = new LinkedHashMap<>();
        columns.put(OCTETS, rows.stream().mapToLong(row -> row[1]).toArray());
        for (int i = 0; i < fields.length; i++) {
            int column = 2 + i;
            long[] values = rows.stream().mapToLong(row -> row[column]).toArray();
            if (Arrays.stream(values).anyMatch(value -> value >= 0)) {
                columns.put(fields[i], values);
            }
        }
        return new Series(begins, rows.stream().mapToLong(row -> row[0] - begins).toArray(), columns);
    }

    /** @param now of the service's clock @param millis of the epoch */
    void take(Report report, long now, long millis) {
        for (StreamState stream : report.streams()) {
            if (StreamReports.isOthers(stream) && stream.before() != null) {
                look(stream, millis - (now - stream.seenNanos()) / 1_000_000);
            }
        }
        report.ended().forEach(each -> forget(each.last().number()));
        // Who is silent carries little, or has ended without a word.
        seen.entrySet().removeIf(each -> now - each.getValue() > 4 * OFTEN_NANOS && !recordings.containsKey(each.getKey()));
        recordings.keySet().stream().filter(number -> now - seen.get(number) > 4 * OFTEN_NANOS).toList().forEach(this::forget);
    }

    private void look(StreamState stream, long millis) {
        Long before = seen.put(stream.number(), stream.seenNanos());
        boolean often = before != null && stream.seenNanos() - before <= OFTEN_NANOS;
        Recording recording = recordings.get(stream.number());
        if (recording == null && often && recordings.size() < settings.series()) {
            recording = new Recording();
            recordings.put(stream.number(), recording);
        }
        if (recording != null && (before == null || before != stream.seenNanos())) {
            recording.add(stream, millis);
        }
    }

    private void forget(long number) {
        seen.remove(number);
        Recording recording = recordings.remove(number);
        if (recording != null) {
            recording.close();
        }
    }

    /** Ends all recordings. */
    void close() {
        List.copyOf(recordings.keySet()).forEach(this::forget);
    }

    int recorded() {
        return recordings.size();
    }
}
