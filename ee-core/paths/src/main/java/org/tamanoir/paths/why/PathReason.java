package org.tamanoir.paths.why;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.tamanoir.paths.wire.StreamLine;

/**
 * What held the streams between two places up. A stream that passes two nodes is seen by both, and each says what it sees: one may call {@code path-after} what the
 * other calls {@code path-before}. So the views of theodolites are also given one by one.
 *
 * @param streams that there were
 * @param octets  that they carried
 * @param causes  of all, the one that took the most time first; empty without streams
 * @param worst   of those with the first cause, the slowest; null without streams
 * @param newest  what was said last of each stream, the newest first
 * @param views   by theodolite
 */
public record PathReason(int streams, long octets, List<Cause> causes, StreamLine worst, List<StreamLine> newest, Map<String, View> views) {
    /**
     * One thing that holds streams up.
     *
     * @param time    part of the time of all streams in which it did
     * @param streams part of the streams that it held up at some time; a stream may have several causes, one behind the other
     * @param octets  part of the octets that came while it did
     */
    public record Cause(String word, double time, double streams, double octets) {
    }

    /** What one theodolite saw. */
    public record View(int streams, long octets, List<Cause> causes) {
    }

    private record Stream(String theodolite, long boot, long number) {
        static Stream of(StreamLine line) {
            return new Stream(line.theodolite(), line.boot(), line.stream());
        }
    }

    /** @param lines the newest first @param listed how many streams {@link #newest} may have */
    public static PathReason of(List<StreamLine> lines, int listed) {
        Map<String, List<StreamLine>> byTheodolite = grouped(lines, StreamLine::theodolite);
        Map<String, View> views = new LinkedHashMap<>();
        byTheodolite.forEach((name, own) -> views.put(name, view(own)));
        View all = view(lines);
        StreamLine worst = all.causes().isEmpty() ? null
                : lines.stream().filter(line -> line.cause().equals(all.causes().get(0).word())).min(Comparator.comparingDouble(StreamLine::mbits)).orElse(null);
        Map<Stream, StreamLine> newest = new LinkedHashMap<>();
        lines.forEach(line -> newest.putIfAbsent(Stream.of(line), line));
        return new PathReason(all.streams(), all.octets(), all.causes(), worst, newest.values().stream().limit(listed).toList(), views);
    }

    private static View view(List<StreamLine> lines) {
        double seconds = lines.stream().mapToDouble(StreamLine::seconds).sum();
        double octets = lines.stream().mapToDouble(StreamLine::octets).sum();
        int streams = streams(lines);
        List<Cause> causes = new ArrayList<>();
        grouped(lines, StreamLine::cause).forEach((word, own) -> causes.add(new Cause(word, own.stream().mapToDouble(PathReason::held).sum() / seconds, (double) streams(own) / streams,
                octets == 0 ? 0 : own.stream().mapToDouble(StreamLine::octets).sum() / octets)));
        causes.sort(Comparator.comparingDouble(Cause::time).reversed());
        return new View(streams, (long) octets, causes);
    }

    /** Seconds. */
    private static double held(StreamLine line) {
        return line.seconds() * line.share();
    }

    private static int streams(List<StreamLine> lines) {
        Set<Stream> streams = new HashSet<>();
        lines.forEach(line -> streams.add(Stream.of(line)));
        return streams.size();
    }

    private static Map<String, List<StreamLine>> grouped(List<StreamLine> lines, Function<StreamLine, String> key) {
        Map<String, List<StreamLine>> groups = new LinkedHashMap<>();
        lines.forEach(line -> groups.computeIfAbsent(key.apply(line), any -> new ArrayList<>()).add(line));
        return groups;
    }
}
