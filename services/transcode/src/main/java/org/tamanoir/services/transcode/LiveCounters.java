package org.tamanoir.services.transcode;

import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.tamanoir.service.Metrics;

/** What is counted of all live streams. Any thread. */
final class LiveCounters {
    private final LongAdder droppedForReceivers = new LongAdder();
    private final LongAdder droppedForEncoders = new LongAdder();
    private final LongAdder restarts = new LongAdder();

    LiveCounters(Metrics metrics) {
        metrics.counter("dropped_octets", "Octets of live streams that were dropped, since a receiver, or an encoder, was too slow, or up to the next key frame.",
                Map.of("for", "receiver"), droppedForReceivers::sum);
        metrics.counter("dropped_octets", "Octets of live streams that were dropped, since a receiver, or an encoder, was too slow, or up to the next key frame.",
                Map.of("for", "encoder"), droppedForEncoders::sum);
        metrics.counter("encoder_failures", "Encoders of live streams that have failed.", restarts::sum);
    }

    void dropped(int octets) {
        droppedForReceivers.add(octets);
    }

    void droppedForEncoder(int octets) {
        droppedForEncoders.add(octets);
    }

    void failed() {
        restarts.increment();
    }
}
