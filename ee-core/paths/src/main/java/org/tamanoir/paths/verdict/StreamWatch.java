package org.tamanoir.paths.verdict;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/** What was seen of a stream in the last three seconds, bounded. */
public final class StreamWatch {
    private static final long WINDOW_NANOS = 3_000_000_000L;
    private static final int MOST = 64;

    private final Deque<Observation> seen = new ArrayDeque<>();

    public void add(Observation observation) {
        seen.addLast(observation);
        while (seen.size() > MOST || seen.getFirst().nanos() < observation.nanos() - WINDOW_NANOS) {
            seen.removeFirst();
        }
    }

    /** @param expected octets a second that it can have at most; 0 if nobody knows */
    public Verdict verdict(double expected) {
        return seen.isEmpty() ? new Verdict(Cause.NOTHING, 0, true, "it has not been looked at", Map.of()) : Verdict.of(List.copyOf(seen), expected);
    }
}
