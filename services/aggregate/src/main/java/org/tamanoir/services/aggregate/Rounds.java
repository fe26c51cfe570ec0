package org.tamanoir.services.aggregate;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.tamanoir.services.aggregate.Aggregate.Settings;

/**
 * The rounds of one group in one node: takes readings and the time, gives results. No input, no output, no thread of its own; one caller
 * at a time.
 *
 * <p>A round is closed when as many have contributed as are expected, when its time is over, or when newer rounds push it out of the
 * window. It gives one result and is closed for good, so no value is in two results. Rounds below the window count as closed.
 */
final class Rounds {
    /** What became of a reading. */
    enum Answer { TAKEN, LATE, DUPLICATE, OTHER_KIND, FULL }

    private final Settings settings;
    private final ServiceCounters totals;
    private final long group;
    private final TreeMap<Long, Round> open = new TreeMap<>(Long::compareUnsigned);
    private final TreeSet<Long> closed = new TreeSet<>(Long::compareUnsigned);
    private final Deque<Reading> results = new ArrayDeque<>();
    /** The lowest round of the window, and whether there is one. */
    private long floor;
    private boolean begun;
    /** The highest level of a reading, of whatever round, late ones too. */
    private int depth;
    /** While a round is open: no round's time is over before this. */
    private long earliest;

    Rounds(Settings settings, ServiceCounters totals, long group) {
        this.settings = settings;
        this.totals = totals;
        this.group = group;
    }

    /** @param now nanoseconds of a clock that only goes forward, the same in every call */
    Answer add(Reading reading, long now) {
        long number = reading.round();
        depth = Math.max(depth, reading.level());
        if (begun && Long.compareUnsigned(number, floor) < 0 || closed.contains(number)) {
            return Answer.LATE;
        }
        Round round = open.get(number);
        if (round != null && round.sources.contains(reading.source())) {
            return Answer.DUPLICATE;
        }
        if (round != null && round.fold.kind() != reading.kind()) {
            return Answer.OTHER_KIND;
        }
        if (round != null && !round.fold.hasRoomFor(reading) || !totals.hold()) {
            return Answer.FULL;
        }
        if (round == null) {
            moveTo(number, now);
            round = new Round(reading.kind(), now);
            totals.openRounds.incrementAndGet();
        }
        round.add(reading, now);
        long deadline = round.deadline(waitNanos());
        earliest = open.isEmpty() || deadline - earliest < 0 ? deadline : earliest;
        open.put(number, round);
        long expected = round.expected(settings.children());
        if (expected > 0 && round.sources.size() >= expected) {
            close(number, now, false);
        }
        return Answer.TAKEN;
    }

    /** A node above others waits for longer than they do, from the time at which the first value came to one of them. */
    private long waitNanos() {
        return settings.waitNanos() * (depth + 1);
    }

    /** Moves the window so that this round is in it. */
    private void moveTo(long number, long now) {
        long most = settings.window() - 1;
        long lowest = Long.compareUnsigned(number, most) < 0 ? 0 : number - most;
        if (!begun || Long.compareUnsigned(lowest, floor) > 0) {
            floor = lowest;
            begun = true;
            for (Long passed : List.copyOf(open.headMap(floor).keySet())) {
                close(passed, now, true);
            }
            closed.headSet(floor).clear();
        }
    }

    /** @param early before its time: also where nobody knows how many are to come, some may be missing */
    private void close(long number, long now, boolean early) {
        Round round = open.remove(number);
        if (Long.compareUnsigned(number, floor) >= 0) {
            closed.add(number);
        }
        totals.openRounds.decrementAndGet();
        totals.release(round.sources.size());
        totals.results.increment();
        long expected = round.expected(settings.children());
        boolean missing = expected > 0 ? round.sources.size() < expected : early;
        if (missing) {
            totals.partial.increment();
        }
        if (results.size() == settings.window()) {
            results.poll();
            totals.lost.increment();
        }
        results.add(round.fold.result(group, number, settings.self(), Math.min(depth + 1, Reading.MOST_LEVELS), round.micros(now),
                (missing ? Reading.PARTIAL : 0)
                | (settings.last() ? Reading.FINAL : 0)));
    }

    /** Closes the rounds whose time is over. */
    void expire(long now) {
        if (untilDeadline(now) > 0) {
            return;
        }
        for (Long number : List.copyOf(open.keySet())) {
            if (open.get(number).deadline(waitNanos()) - now <= 0) {
                close(number, now, false);
            }
        }
        earliest = now + open.values().stream().mapToLong(round -> round.deadline(waitNanos()) - now).min().orElse(0);
    }

    /** Closes every round: nobody is left to wait for. */
    void closeAll(long now) {
        for (Long number : List.copyOf(open.keySet())) {
            close(number, now, true);
        }
    }

    /**
     * Nanoseconds until {@link #expire} has something to look at, 0 or less if it has; the largest number if no round is open. It may find
     * nothing to close: when a deeper level shows, rounds wait for longer than they began with.
     */
    long untilDeadline(long now) {
        return open.isEmpty() ? Long.MAX_VALUE : earliest - now;
    }

    /** Takes the next result, or null. At most a window of them is kept; then the oldest is lost. */
    Reading poll() {
        return results.poll();
    }

    boolean hasResults() {
        return !results.isEmpty();
    }

    int open() {
        return open.size();
    }

    /** Throws everything away. */
    void clear(long now) {
        closeAll(now);
        totals.lost.add(results.size());
        results.clear();
    }

    /** One round that is open: what has come, from whom, and until when it waits. */
    static final class Round {
        final Fold fold;
        final Set<Long> sources = new HashSet<>();
        /** When its first value came to the first node. */
        private long birth;
        private long siblings;

        Round(Kind kind, long now) {
            this.fold = new Fold(kind);
            this.birth = now;
        }

        void add(Reading reading, long now) {
            birth -= Math.max(0, birth - (now - reading.micros() * 1000));
            sources.add(reading.source());
            siblings = Math.max(siblings, reading.siblings());
            fold.add(reading);
        }

        /** How many are to come: what the node is told, or else what the readings say; 0 if nobody knows. */
        long expected(int children) {
            return children > 0 ? children : siblings;
        }

        long deadline(long waitNanos) {
            return birth + waitNanos;
        }

        long micros(long now) {
            return Math.min(Reading.LONGEST, (now - birth) / 1000);
        }
    }
}
