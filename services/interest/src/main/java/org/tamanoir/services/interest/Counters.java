package org.tamanoir.services.interest;

import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.tamanoir.service.Metrics;

/** What is counted, over all spaces. */
final class Counters {
    final LongAdder in = new LongAdder();
    final LongAdder out = new LongAdder();
    /** Thrown away here, because somebody did not take them. */
    final LongAdder dropped = new LongAdder();
    /** Events of publishers over UDP that never came, and such that came too late or twice. */
    final LongAdder lost = new LongAdder();
    final LongAdder late = new LongAdder();
    /** Light rules in force, and what those had dropped that are no more. */
    private final AtomicInteger rules = new AtomicInteger();
    final LongAdder below = new LongAdder();
    /** Octets that wait, of all. */
    final LongAdder waiting = new LongAdder();

    /** One light rule more. @return false if there are the most already */
    boolean takeRule(int most) {
        return rules.getAndUpdate(now -> now < most ? now + 1 : now) < most;
    }

    /** One less. */
    void giveRule() {
        rules.decrementAndGet();
    }

    int rules() {
        return rules.get();
    }

    void register(Metrics metrics, Interest interest) {
        String events = "Events: that came, that went to a neighbour, that were thrown away because it did not take them; over UDP also that never came, that came late or twice.";
        metrics.counter("events", events, Map.of("what", "in"), in::sum);
        metrics.counter("events", events, Map.of("what", "out"), out::sum);
        metrics.counter("events", events, Map.of("what", "dropped"), dropped::sum);
        metrics.counter("events", events, Map.of("what", "lost"), lost::sum);
        metrics.counter("events", events, Map.of("what", "late"), late::sum);
        metrics.counter("datagrams_dropped_below", "Datagrams that light rules have dropped below the service, because nobody wants their events.", interest::droppedBelow);
        metrics.gauge("drop_rules", "Light rules that drop what nobody wants.", rules::get);
        metrics.gauge("waiting_bytes", "Octets of events that wait for neighbours.", waiting::sum);
        metrics.gauge("filters", "Filters that neighbours want.", interest::filters);
        metrics.gauge("neighbours", "Programs and nodes that are joined to this node.", interest::neighbours);
    }
}
