package org.tamanoir.benchmarks.relay;

import java.util.Map;
import java.util.function.BiConsumer;
import org.tamanoir.benchmarks.load.LoadSender.Trips;
import org.tamanoir.benchmarks.load.StreamRun;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;

/** The names and units under which the figures of {@code bench relay} are kept. */
final class Figure {
    static final String STREAMS = "streams";
    static final String ROUND_TRIP = "round-trip";

    private static final int REQUEST = 64;
    private static final double MEGA = 1e6;

    private Figure() {
    }

    static Key gigabits(RelayKind kind, int packet, int streams) {
        return new Key(STREAMS, kind.toString(), packet, streams, "throughput", "Gbit/s");
    }

    static Key packets(RelayKind kind, int packet, int streams) {
        return new Key(STREAMS, kind.toString(), packet, streams, "packets", "1/s");
    }

    static Key cpu(RelayKind kind, int packet, int streams) {
        return new Key(STREAMS, kind.toString(), packet, streams, "cpu", "s/GB");
    }

    static Key peak(RelayKind kind, int packet, int streams) {
        return new Key(STREAMS, kind.toString(), packet, streams, "peak-memory", "MB");
    }

    /** The throughput of one system in parts of another's, of the same round. */
    static Key ratio(RelayKind kind, RelayKind other, int packet, int streams) {
        return new Key(STREAMS, kind.toString(), packet, streams, "throughput-of-" + other, "ratio");
    }

    static Key tripP50(RelayKind kind) {
        return new Key(ROUND_TRIP, kind.toString(), REQUEST, 1, "p50", "us");
    }

    static Key tripP99(RelayKind kind) {
        return new Key(ROUND_TRIP, kind.toString(), REQUEST, 1, "p99", "us");
    }

    /** The node's CPU time for an octet in parts of another system's, of the same round. */
    static Key cpuRatio(RelayKind other, int packet, int streams) {
        return new Key(STREAMS, RelayKind.TAMANOIR.toString(), packet, streams, "cpu-of-" + other, "ratio");
    }

    /** The node's p50 in parts of another system's, of the same round. */
    static Key tripRatio(RelayKind other) {
        return new Key(ROUND_TRIP, RelayKind.TAMANOIR.toString(), REQUEST, 1, "p50-of-" + other, "ratio");
    }

    static void addTo(Samples samples, RelayKind kind, int packet, int streams, StreamRun.Figures figures) {
        samples.add(gigabits(kind, packet, streams), figures.octetsPerSecond() * 8 / 1e9);
        samples.add(packets(kind, packet, streams), figures.octetsPerSecond() / packet);
        figures.cpuSecondsPerGigabyte().ifPresent(seconds -> samples.add(cpu(kind, packet, streams), seconds));
        figures.peakOctets().ifPresent(octets -> samples.add(peak(kind, packet, streams), octets / MEGA));
    }

    static void addTo(Samples samples, RelayKind kind, Trips trips) {
        samples.add(tripP50(kind), trips.p50() / 1e3);
        samples.add(tripP99(kind), trips.p99() / 1e3);
    }

    /** The node against the others. @param trips p50 of one round, in one unit for all */
    static void addTripRatios(Samples samples, Map<RelayKind, Double> trips) {
        addRatiosOfNode(trips, (other, ratio) -> samples.add(tripRatio(other), ratio));
    }

    /** The node against the others. @param cpu seconds for 1e9 octets, of one round */
    static void addCpuRatios(Samples samples, int packet, int streams, Map<RelayKind, Double> cpu) {
        addRatiosOfNode(cpu, (other, ratio) -> samples.add(cpuRatio(other, packet, streams), ratio));
    }

    private static void addRatiosOfNode(Map<RelayKind, Double> values, BiConsumer<RelayKind, Double> add) {
        Double own = values.get(RelayKind.TAMANOIR);
        if (own != null) {
            RelayKind.OTHERS.stream().filter(other -> values.getOrDefault(other, 0.0) > 0).forEach(other -> add.accept(other, own / values.get(other)));
        }
    }

    /** Every system against direct, and the node against each peer. @param rates of one round */
    static void addRatios(Samples samples, int packet, int streams, Map<RelayKind, Double> rates) {
        rates.forEach((kind, rate) -> rates.forEach((other, otherRate) -> {
            boolean asked = other == RelayKind.DIRECT ? kind != RelayKind.DIRECT : kind == RelayKind.TAMANOIR && other != kind;
            if (asked) {
                samples.add(ratio(kind, other, packet, streams), rate / otherRate);
            }
        }));
    }
}
