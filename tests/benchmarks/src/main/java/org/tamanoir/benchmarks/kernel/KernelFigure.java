package org.tamanoir.benchmarks.kernel;

import java.util.Map;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;

/** The names and units under which the figures of {@code bench kernel} are kept. */
final class KernelFigure {
    static final String UDP_TRIP = "udp-round-trip";
    static final String UDP_WINDOW = "udp-32-outstanding";
    static final String UDP_BLAST = "udp-blast";
    static final String TCP_TRIP = "tcp-round-trip";
    static final String TCP_STREAM = "tcp-stream";
    static final String RULES_TRIP = "rules-round-trip";
    static final String RULES_WINDOW = "rules-32-outstanding";
    static final String CHANGE = "rule-change";
    private static final double NANOS_OF_MICRO = 1e3;

    private KernelFigure() {
    }

    /** Which ratio of two ways. */
    @FunctionalInterface
    interface Ratio {
        Key of(String what, Way way, Way other, int octets);
    }

    static Key p50(String what, Way way, int octets) {
        return new Key(what, way.toString(), octets, 1, "p50", "us");
    }

    static Key p99(String what, Way way, int octets) {
        return new Key(what, way.toString(), octets, 1, "p99", "us");
    }

    static Key rate(String what, Way way, int octets) {
        return switch (what) {
            case TCP_STREAM -> new Key(what, way.toString(), octets, 1, "throughput", "Gbit/s");
            case UDP_BLAST -> new Key(what, way.toString(), octets, 1, "received", "1/s");
            default -> new Key(what, way.toString(), octets, 1, "echoes", "1/s");
        };
    }

    /** The same for each second of CPU time that client, server, node and soft interrupts take together. */
    static Key perCpu(String what, Way way, int octets) {
        return what.equals(TCP_STREAM) ? new Key(what, way.toString(), octets, 1, "throughput-per-cpu", "Gbit/s")
                : new Key(what, way.toString(), octets, 1, "echoes-per-cpu", "1/s");
    }

    /** Datagrams that were lost, of all that were sent. */
    static Key lost(String what, Way way, int octets) {
        return new Key(what, way.toString(), octets, 1, "lost", "ratio");
    }

    /** Of the node's process: seconds for each second. */
    static Key cpu(String what, Way way, int octets) {
        return new Key(what, way.toString(), octets, 1, "node-cpu", "s/s");
    }

    /** The rate of one way in parts of another's, of the same round; of round trips the same of their medians. */
    static Key ratio(String what, Way way, Way other, int octets) {
        return new Key(what, way.toString(), octets, 1, "of-" + other, "ratio");
    }

    /** The same of {@link #perCpu}. */
    static Key cpuRatio(String what, Way way, Way other, int octets) {
        return new Key(what, way.toString(), octets, 1, "per-cpu-of-" + other, "ratio");
    }

    /** How long after a change of one of some rules the last packet passed by the old one, or the first by the new one. */
    static Key change(String direction, int rules, String part) {
        return new Key(CHANGE, direction, 0, rules, part, "ms");
    }

    static void addTrips(Samples samples, String what, Way way, int octets, LoadFigures figures) {
        samples.add(p50(what, way, octets), figures.get("p50") / NANOS_OF_MICRO);
        samples.add(p99(what, way, octets), figures.get("p99") / NANOS_OF_MICRO);
    }

    /** @param key {@link #ratio} or {@link #cpuRatio} */
    static void addRatios(Samples samples, Ratio key, String what, int octets, Map<Way, Double> values) {
        values.forEach((way, value) -> values.forEach((other, otherValue) -> {
            if (way.ordinal() > other.ordinal() && other == Way.PLAIN || way == Way.KERNEL && other == Way.USER_SPACE
                    || way == Way.MANY_RULES && other == Way.TEN_RULES) {
                samples.add(key.of(what, way, other, octets), value / otherValue);
            }
        }));
    }
}
