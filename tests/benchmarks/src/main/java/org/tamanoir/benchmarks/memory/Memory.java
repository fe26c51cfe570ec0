package org.tamanoir.benchmarks.memory;

import org.tamanoir.benchmarks.report.Samples.Key;

/** The names and units of the figures of {@code bench memory}. */
final class Memory {
    static final int PACKET = 8192;
    static final int IDLE_STREAMS = 1000;
    static final double MEGA = 1e6;

    private Memory() {
    }

    static Key growth(String node) {
        return new Key("stalled-receiver", node, PACKET, 1, "resident-growth", "MB");
    }

    static Key taken() {
        return new Key("stalled-receiver", "both", PACKET, 1, "taken-from-sender", "MB");
    }

    static Key idle(String metric) {
        return new Key("idle-streams", "node", 64, IDLE_STREAMS, metric, "MB");
    }

    static Key start() {
        return new Key("start", "node", 0, 0, "ready", "s");
    }
}
