package org.tamanoir.services.compression;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.tamanoir.service.Metrics;
import org.tamanoir.services.compression.DirectionCounters.Treatment;

/** What all streams of the service have counted, from every thread. Octets are those of whole packets. */
final class ServiceCounters {
    private final Map<Treatment, LongAdder> packets = new EnumMap<>(Treatment.class);
    private final LongAdder in = new LongAdder();
    private final LongAdder out = new LongAdder();
    private final LongAdder returnIn = new LongAdder();
    private final LongAdder returnOut = new LongAdder();
    private final LongAdder plain = new LongAdder();
    private final LongAdder encoded = new LongAdder();
    private final LongAdder changes = new LongAdder();
    private volatile int level;

    ServiceCounters() {
        for (Treatment treatment : Treatment.values()) {
            packets.put(treatment, new LongAdder());
        }
    }

    void register(Metrics metrics) {
        packets.forEach((treatment, adder) -> metrics.counter(treatment.word() + "_packets", treatment.help(), adder::sum));
        metrics.counter("in_bytes", "Octets that came, toward the destination.", in::sum);
        metrics.counter("out_bytes", "Octets that went on, toward the destination.", out::sum);
        metrics.counter("return_in_bytes", "Octets that came, toward the source.", returnIn::sum);
        metrics.counter("return_out_bytes", "Octets that went on, toward the source.", returnOut::sum);
        metrics.counter("level_changes", "Changes of a stream's level.", changes::sum);
        metrics.gauge("level", "The level that a stream has chosen last; 0 if it leaves packets as they are.", () -> level);
        metrics.gauge("ratio", "Octets outside the compressed path for each octet inside it, both directions.",
                () -> DirectionCounters.ratio(plain.sum(), encoded.sum()));
    }

    /** A stream compresses at another level from now on. */
    void levelChanged(int to) {
        changes.increment();
        level = to;
    }

    void level(int now) {
        level = now;
    }

    void count(Treatment treatment, boolean toDestination, int octetsIn, int octetsOut, boolean encodes) {
        packets.get(treatment).increment();
        (toDestination ? in : returnIn).add(octetsIn);
        (toDestination ? out : returnOut).add(octetsOut);
        plain.add(encodes ? octetsIn : octetsOut);
        encoded.add(encodes ? octetsOut : octetsIn);
    }
}
