package org.tamanoir.services.collect;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.tamanoir.collective.Operation;
import org.tamanoir.service.Metrics;

/** What the service has done since it started. */
final class ServiceCounters {
    final LongAdder members = new LongAdder();
    final LongAdder up = new LongAdder();
    final LongAdder down = new LongAdder();
    final LongAdder broken = new LongAdder();
    private final Map<Operation, LongAdder> operations = new EnumMap<>(Operation.class);

    ServiceCounters() {
        for (Operation operation : Operation.values()) {
            operations.put(operation, new LongAdder());
        }
    }

    void completed(Operation operation) {
        operations.get(operation).increment();
    }

    void register(Metrics metrics) {
        operations.forEach((operation, count) -> metrics.counter("operations", "Operations that were completed, of all groups.",
                Map.of("operation", operation.name().toLowerCase(Locale.ROOT)), count::sum));
        metrics.counter("joined", "Members and nodes that have joined here.", members::sum);
        metrics.counter("broken", "Groups that have failed.", broken::sum);
        metrics.counter("packets", "Packets that were sent.", Map.of("to", "root"), up::sum);
        metrics.counter("packets", "Packets that were sent.", Map.of("to", "members"), down::sum);
    }
}
