package org.tamanoir.services.interest;

import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.tamanoir.service.Metrics;

/** What is counted, over all spaces. */
final class Counters {
    final LongAdder in = new LongAdder();
    final LongAdder out = new LongAdder();
    /** Thrown away here, because somebody did not take them. */
    final LongAdder dropped = new LongAdder();
    /** Octets that wait, of all. */
    final LongAdder waiting = new LongAdder();

    void register(Metrics metrics, Interest interest) {
        String events = "Events: that came, that went to a neighbour, that were thrown away because it did not take them.";
        metrics.counter("events", events, Map.of("what", "in"), in::sum);
        metrics.counter("events", events, Map.of("what", "out"), out::sum);
        metrics.counter("events", events, Map.of("what", "dropped"), dropped::sum);
        metrics.gauge("waiting_bytes", "Octets of events that wait for neighbours.", waiting::sum);
        metrics.gauge("filters", "Filters that neighbours want.", interest::filters);
        metrics.gauge("neighbours", "Programs and nodes that are joined to this node.", interest::neighbours);
    }
}
