package org.tamanoir.services.coalesce;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.tamanoir.service.Metrics;

/** What all streams of the service have counted, from every thread. */
final class ServiceCounters {
    /** Why something left when it did. */
    enum Cause {
        /** It came alone: nothing had left for as long as a packet may wait. */
        QUIET("quiet"),
        /** The time was over. */
        DEADLINE("deadline"),
        /** There was no room for more. */
        SIZE("size"),
        /** What came is not joined, and must not overtake; or the stream ended. */
        ORDER("order");

        private final String word;

        Cause(String word) {
            this.word = word;
        }
    }

    final LongAdder packets = new LongAdder();
    final LongAdder split = new LongAdder();
    final LongAdder restored = new LongAdder();
    final LongAdder refused = new LongAdder();
    private final LongAdder joined = new LongAdder();
    private final Map<Cause, LongAdder> sent = new EnumMap<>(Cause.class);

    ServiceCounters() {
        for (Cause cause : Cause.values()) {
            sent.put(cause, new LongAdder());
        }
    }

    void register(Metrics metrics) {
        metrics.counter("packets", "Packets that came to be joined.", packets::sum);
        metrics.counter("joined_packets", "Packets that left in a joined one.", joined::sum);
        sent.forEach((cause, adder) -> metrics.counter("sent_packets", "What left in their place, joined or alone, by why it left when it did.",
                Map.of("by", cause.word), adder::sum));
        metrics.counter("split_packets", "Joined packets that were split.", split::sum);
        metrics.counter("restored_packets", "Packets that came out of them.", restored::sum);
        metrics.counter("refused_packets", "Joined packets that were damaged or made up, and dropped.", refused::sum);
    }

    /** Something has left. @param held packets in it */
    void sent(Cause cause, int held) {
        sent.get(cause).increment();
        if (held > 1) {
            joined.add(held);
        }
    }
}
