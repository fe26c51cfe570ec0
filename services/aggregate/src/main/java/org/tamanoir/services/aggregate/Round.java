package org.tamanoir.services.aggregate;

import java.util.HashSet;
import java.util.Set;

/** One round that is open: what has come, from whom, and until when it waits. */
final class Round {
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
