package org.tamanoir.services.monitoring;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * The counters of all streams, live and ended. Streams count by themselves; they are added up when somebody asks, and a stream that ends
 * leaves its counters here, so that a total never falls back.
 */
final class Totals {
    private final Set<MonitoredStream> live = new HashSet<>();
    private final FlowCounters endedToDestination = new FlowCounters();
    private final FlowCounters endedToSource = new FlowCounters();

    /** Both directions at one moment. */
    record Sums(FlowCounters toDestination, FlowCounters toSource) {
        long both(ToLongFunction<FlowCounters> counter) {
            return counter.applyAsLong(toDestination) + counter.applyAsLong(toSource);
        }
    }

    synchronized void begin(MonitoredStream stream) {
        live.add(stream);
    }

    /** A second call for the same stream does nothing. */
    synchronized void end(MonitoredStream stream) {
        if (live.remove(stream)) {
            endedToDestination.add(stream.toDestination());
            endedToSource.add(stream.toSource());
        }
    }

    synchronized int streams() {
        return live.size();
    }

    /** Adds up outside the lock: a stream that begins or ends meanwhile does not wait for it. */
    Sums sums() {
        FlowCounters toDestination = new FlowCounters();
        FlowCounters toSource = new FlowCounters();
        List<MonitoredStream> now;
        synchronized (this) {
            now = List.copyOf(live);
            toDestination.add(endedToDestination);
            toSource.add(endedToSource);
        }
        for (MonitoredStream stream : now) {
            toDestination.add(stream.toDestination());
            toSource.add(stream.toSource());
        }
        return new Sums(toDestination, toSource);
    }
}
