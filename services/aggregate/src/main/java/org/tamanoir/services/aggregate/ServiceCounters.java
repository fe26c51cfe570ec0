package org.tamanoir.services.aggregate;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.tamanoir.service.Metrics;

/** What all groups of a node count together, and what they may remember together. Any thread. */
final class ServiceCounters {
    final LongAdder readings = new LongAdder();
    final LongAdder late = new LongAdder();
    final LongAdder duplicates = new LongAdder();
    final LongAdder refused = new LongAdder();
    final LongAdder results = new LongAdder();
    final LongAdder partial = new LongAdder();
    final LongAdder lost = new LongAdder();
    final AtomicInteger openRounds = new AtomicInteger();
    private final AtomicInteger held = new AtomicInteger();
    private final int mostHeld;

    /** @param mostHeld contributions to open rounds that are remembered */
    ServiceCounters(int mostHeld) {
        this.mostHeld = mostHeld;
    }

    void register(Metrics metrics) {
        metrics.counter("readings", "Readings that were combined.", readings::sum);
        metrics.counter("late_readings", "Readings of a round that was closed already.", late::sum);
        metrics.counter("duplicate_readings", "Readings of a source that had contributed to the round.", duplicates::sum);
        metrics.counter("refused_readings", "Readings that are malformed, of another kind, or more than may be held.", refused::sum);
        metrics.counter("results", "Rounds that were closed.", results::sum);
        metrics.counter("partial_results", "Rounds that were closed before all had contributed.", partial::sum);
        metrics.counter("lost_results", "Results that could not be sent, because the way was full or gone.", lost::sum);
        metrics.gauge("open_rounds", "Rounds that wait for more.", openRounds::get);
        metrics.gauge("held_readings", "Contributions to open rounds that are remembered.", held::get);
    }

    /** One more contribution to remember; false if there are too many. */
    boolean hold() {
        if (held.incrementAndGet() > mostHeld) {
            held.decrementAndGet();
            return false;
        }
        return true;
    }

    /** So many contributions are forgotten. */
    void release(int count) {
        held.addAndGet(-count);
    }
}
