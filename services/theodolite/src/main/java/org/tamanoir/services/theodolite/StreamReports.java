package org.tamanoir.services.theodolite;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.tamanoir.paths.wire.StreamLine;
import org.tamanoir.service.tcp.TcpStreams.Ended;
import org.tamanoir.service.tcp.TcpStreams.Reason;
import org.tamanoir.service.tcp.TcpStreams.Report;
import org.tamanoir.service.tcp.TcpStreams.StreamState;

/**
 * Says of each stream of the node that has carried something what it did, when it ends and once a minute before: how fast it was, and what held it up the longest.
 * What theodolites send each other is left out, since it is measured already.
 */
final class StreamReports {
    private static final long SPAN_NANOS = 60_000_000_000L;
    /** A stream of which nobody has heard for so long has ended, and there was no room to say so. */
    private static final long SILENCE_NANOS = 600_000_000_000L;
    /** Of streams: more would push out what probes have found. */
    private static final int MOST_A_MINUTE = 600;
    private static final double SECOND = 1e9;
    private static final String NOTHING = "nothing";
    /** Of a stream that ended before anybody could look at it twice. */
    private static final String UNKNOWN = "unknown";
    private static final int MOST_SENTENCE = 255;

    /** Two hosts. */
    private record Pair(InetAddress source, InetAddress destination) {
        static Pair of(StreamState stream) {
            return new Pair(stream.source().getAddress(), stream.destination().getAddress());
        }
    }

    /** One cause in one span. */
    private static final class Held {
        private double nanos;
        private double sureNanos;
        private double highest = -1;
        private String sentence;
    }

    /** What is known of a stream since its last line. */
    private static final class Tally {
        private final Map<String, Held> causes = new HashMap<>();
        private final Pair pair;
        private long began;
        private long last;
        private double watched;
        private long octets;
        private int streams = 1;

        Tally(Pair pair, long began) {
            this.pair = pair;
            this.began = began;
            this.last = began;
        }

        void add(Reason reason, long now) {
            double nanos = now - last;
            last = now;
            if (reason != null && nanos > 0) {
                watched += nanos;
                Held held = causes.computeIfAbsent(reason.cause(), word -> new Held());
                double part = reason.cause().equals(NOTHING) ? 1 : Math.max(0, Math.min(1, reason.share()));
                held.nanos += part * nanos;
                held.sureNanos += reason.isSure() ? part * nanos : 0;
                if (part >= held.highest) {
                    held.highest = part;
                    held.sentence = reason.sentence();
                }
            }
        }

        /** The next span begins. @param carried octets since the stream began */
        void begin(long now, long carried) {
            causes.clear();
            began = now;
            last = now;
            watched = 0;
            octets = carried;
            streams = 1;
        }
    }

    private final TheodoliteSettings settings;
    private final IntFunction<String> classes;
    private final SampleBuffer samples;
    private final Map<Long, Tally> tallies = new HashMap<>();
    /** Open streams between two hosts. */
    private final Map<Pair, Integer> open = new HashMap<>();
    private long minute;
    private int told;
    private long leftOut;

    /** @param classes the name of a class by its code point */
    StreamReports(TheodoliteSettings settings, IntFunction<String> classes, SampleBuffer samples) {
        this.settings = settings;
        this.classes = classes;
        this.samples = samples;
    }

    /** @param now of the service's clock @param millis of the epoch */
    void take(Report report, long now, long millis) {
        leftOut += report.missed();
        List<StreamState> looked = report.streams().stream().filter(StreamReports::isOthers).toList();
        List<Ended> ended = report.ended().stream().filter(each -> isOthers(each.last())).toList();
        looked.forEach(this::tally);
        ended.forEach(each -> tally(each.last()));
        for (StreamState stream : looked) {
            Tally tally = tally(stream);
            tally.add(stream.reason(), now);
            if (now - tally.began >= SPAN_NANOS) {
                tell(stream, tally, false, millis);
                tally.begin(now, stream.octets());
            }
        }
        for (Ended each : ended) {
            Tally tally = tally(each.last());
            tally.add(each.last().reason(), each.endedNanos());
            tell(each.last(), tally, true, millis - Math.max(0, now - each.endedNanos()) / 1_000_000);
        }
        ended.forEach(each -> forget(each.last().number()));
        tallies.entrySet().stream().filter(each -> now - each.getValue().last > SILENCE_NANOS).map(Map.Entry::getKey).toList().forEach(this::forget);
    }

    /** Whether it is no flow of theodolites, and goes between two addresses. */
    static boolean isOthers(StreamState stream) {
        return !stream.typeIds().contains(Theodolite.TYPE) && stream.source().getAddress() != null && stream.destination().getAddress() != null;
    }

    private Tally tally(StreamState stream) {
        Tally tally = tallies.get(stream.number());
        if (tally == null) {
            tally = new Tally(Pair.of(stream), stream.beganNanos());
            tallies.put(stream.number(), tally);
            open.merge(tally.pair, 1, Integer::sum);
        }
        tally.streams = Math.max(tally.streams, open.get(tally.pair));
        return tally;
    }

    private void forget(long number) {
        Tally gone = tallies.remove(number);
        if (gone != null) {
            open.computeIfPresent(gone.pair, (pair, count) -> count == 1 ? null : count - 1);
        }
    }

    /** A span in which a stream has carried little says nothing: nobody waited for it. */
    private void tell(StreamState stream, Tally tally, boolean isEnd, long millis) {
        long octets = stream.octets() - tally.octets;
        double seconds = (tally.last - tally.began) / SECOND;
        if (octets < settings.leastStream() || seconds <= 0) {
            return;
        }
        if (millis / 60_000 != minute) {
            minute = millis / 60_000;
            told = 0;
        }
        if (++told > MOST_A_MINUTE) {
            leftOut++;
            return;
        }
        Map.Entry<String, Held> longest = tally.causes.entrySet().stream().max(Map.Entry.comparingByValue((one, other) -> Double.compare(one.nanos, other.nanos))).orElse(null);
        Held held = longest == null ? new Held() : longest.getValue();
        samples.add((name, boot, number) -> new StreamLine(name, boot, number, millis, stream.number(), settings.shown(stream.source().getAddress()), settings.shown(stream.destination().getAddress()),
                classes.apply(stream.codePoint()), isEnd, octets, stream.octets(), seconds, tally.streams, longest == null ? UNKNOWN : longest.getKey(), longest == null ? 0 : held.nanos / tally.watched,
                longest != null && 2 * held.sureNanos >= held.nanos, line(held.sentence)));
    }

    private static String line(String sentence) {
        String line = sentence == null ? "it was too short to be looked at" : sentence.replaceAll("\\p{Cntrl}", " ");
        return line.length() <= MOST_SENTENCE ? line : line.substring(0, MOST_SENTENCE);
    }

    /** Streams for which there was no room. */
    long leftOut() {
        return leftOut;
    }

    int watched() {
        return tallies.size();
    }
}
