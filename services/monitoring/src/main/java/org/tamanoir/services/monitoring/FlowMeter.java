package org.tamanoir.services.monitoring;

import org.tamanoir.anep.OptionType;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.Run;

/**
 * Measures one direction of a stream. A packet without options costs an addition to a handful of plain numbers, and equal
 * packets that were read together cost that once; the time is the one at which the node read the packet.
 *
 * <p>About 1.1 KB, and 0.6 KB more once a packet carries a sequence number; nothing grows with the length of the stream.
 */
final class FlowMeter {
    private final FlowCounters counters = new FlowCounters();
    private final RateWindow rates = new RateWindow();
    private long firstNanos;
    private long lastNanos;
    private SequenceTracker sequences;
    private Jitter jitter;

    void count(Run run) {
        if (!run.isUniform()) {
            for (int i = 0; i < run.count(); i++) {
                count(run.packet(i));
            }
            return;
        }
        came(run.packet(0).receivedNanos());
        passed(run.count(), run.length());
        counters.gaps[FlowCounters.gapBucket(0)] += run.count() - 1;
    }

    private void count(Packet packet) {
        came(packet.receivedNanos());
        passed(1, packet.length());
        if (packet.hasOptions()) {
            countOptions(packet);
        }
    }

    private void came(long nanos) {
        FlowCounters counters = this.counters;
        if (counters.packets == 0) {
            firstNanos = nanos;
            rates.begin(nanos);
        } else {
            long gap = nanos - lastNanos;
            counters.gaps[FlowCounters.gapBucket(gap)]++;
            counters.nanos += gap;
        }
        lastNanos = nanos;
        if (rates.isOver(nanos)) {
            rates.roll(nanos, counters.packets, counters.octets);
        }
    }

    private void passed(int packets, int octets) {
        counters.packets += packets;
        counters.octets += octets;
        counters.sizes[FlowCounters.sizeBucket(octets / packets)] += packets;
    }

    private void countOptions(Packet packet) {
        if (packet.has(OptionType.STREAM)) {
            if (sequences == null) {
                sequences = new SequenceTracker(counters);
            }
            sequences.count(packet.sequence());
        }
        if (packet.has(OptionType.TIMESTAMP)) {
            if (jitter == null) {
                jitter = new Jitter();
            }
            jitter.count(packet.receivedNanos(), packet.options().timestamp());
        }
    }

    FlowCounters counters() {
        return counters;
    }

    /** Rates as of now; the seconds without packets since the last one count. */
    RateWindow rates(long nowNanos) {
        if (counters.packets > 0) {
            rates.roll(nowNanos, counters.packets, counters.octets);
        }
        return rates;
    }

    /** Seconds since the first packet; 0 before it. */
    double seconds(long nowNanos) {
        return counters.packets == 0 ? 0 : Math.max(0, nowNanos - firstNanos) / 1e9;
    }

    /** The jitter, or null if no packet carried a timestamp. */
    Jitter jitter() {
        return jitter;
    }

    /**
     * Inter-arrival jitter by RFC 3550 section 6.4.1: the mean deviation of the difference between the spacing of two packets at the receiver
     * and at the sender, smoothed with a gain of 1/16. The clocks need not agree, only differences count.
     */
    static final class Jitter {
        private static final double GAIN = 1.0 / 16;

        private boolean begun;
        private long lastReceived;
        private long lastSent;
        private double nanos;

        /** Counts a packet: both times in nanoseconds, each by its own clock. */
        void count(long received, long sent) {
            if (begun) {
                double difference = (double) (received - lastReceived) - (double) (sent - lastSent);
                nanos += GAIN * (Math.abs(difference) - nanos);
            }
            begun = true;
            lastReceived = received;
            lastSent = sent;
        }

        /** The jitter now. */
        double micros() {
            return nanos / 1e3;
        }
    }
}
