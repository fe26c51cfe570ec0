package org.tamanoir.benchmarks.cluster.distance;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.tamanoir.benchmarks.cluster.ClusterPlan;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.plot.Chart.Axes;
import org.tamanoir.benchmarks.plot.Chart.Series;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.lab.LabException;

/** Runs the plan: every round measures every length of packets on every way, one way directly after the other, in an order that turns. */
public final class Distance extends MeasuredOutcome {
    public static final int STREAMS = 25;
    private static final List<Integer> PACKETS = List.of(1024, 4096, 8192, 32768);
    /** Half of the round trip from ENS Lyon to CEA over VTHD, table 1 of the paper; figure 11 has none. */
    private static final Duration FAR = Duration.ofNanos(2_900_000);
    /** Enough for TCP's windows to open over the long way. */
    private static final Duration OPENING = Duration.ofSeconds(1);
    private static final Duration CHECK = Duration.ofSeconds(1);
    /** For the compilers of three JVMs. */
    private static final Duration WARM_UP = Duration.ofSeconds(4);
    private static final double MEGABITS = 8 / 1e6;
    private static final int PACKET_2003 = 8192;
    private static final double MEGABITS_2003 = 919;

    /** From client to receiver, in the order of figures: without a cluster and with one, near and far. */
    private enum Path {
        DIRECT_NEAR("#777777"), CLUSTER_NEAR("#0b6e4f"), DIRECT_FAR("#3b6fb6"), CLUSTER_FAR("#c8553d");

        private final boolean direct = name().startsWith("DIRECT");
        private final boolean far = name().endsWith("FAR");
        private final String colour;

        Path(String colour) {
            this.colour = colour;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private Distance(Consumer<String> progress) {
        super("distance", new Measurements(progress));
    }

    /** As a {@link org.tamanoir.benchmarks.parts.Part}. @throws LabException if a cluster cannot be had */
    public static Outcome run(ClusterPlan plan, Consumer<String> progress) {
        Distance distance = new Distance(progress);
        distance.run(plan);
        return distance;
    }

    private void run(ClusterPlan plan) {
        measured.doing("starting two clusters, one near and one far");
        try (DistanceLab near = new DistanceLab(Duration.ZERO); DistanceLab far = new DistanceLab(FAR)) {
            for (Path path : Path.values()) {
                measured.doing("checking " + path);
                int packet = PACKETS.get(PACKETS.size() - 1);
                (path.far ? far : near).streams(path.direct, packet, STREAMS).check(CHECK);
                (path.far ? far : near).streams(path.direct, packet, STREAMS).measure(OPENING, WARM_UP);
            }
            int turn = 0;
            for (int round = 0; round < plan.rounds(); round++) {
                for (int packet : PACKETS) {
                    // Octets a second.
                    Map<Path, Double> rates = new EnumMap<>(Path.class);
                    for (Path path : Measurements.turned(List.of(Path.values()), turn++)) {
                        DistanceLab lab = path.far ? far : near;
                        measured.attempt("distance, " + path + ", packets of " + packet + " octets, " + Measurements.name(round), () -> {
                            long dropped = lab.dropped();
                            rates.put(path, lab.streams(path.direct, packet, STREAMS).measure(OPENING, plan.run()).octetsPerSecond());
                            measured.add(dropped(path, packet), lab.dropped() - dropped);
                        });
                    }
                    add(packet, rates);
                }
            }
        }
    }

    private void add(int packet, Map<Path, Double> rates) {
        rates.forEach((path, rate) -> measured.add(rate(path, packet), rate * MEGABITS));
        addRatio(packet, rates, Path.CLUSTER_FAR, Path.CLUSTER_NEAR);
        addRatio(packet, rates, Path.CLUSTER_FAR, Path.DIRECT_FAR);
        addRatio(packet, rates, Path.CLUSTER_NEAR, Path.DIRECT_NEAR);
        addRatio(packet, rates, Path.DIRECT_FAR, Path.DIRECT_NEAR);
    }

    private void addRatio(int packet, Map<Path, Double> rates, Path one, Path other) {
        if (rates.containsKey(one) && rates.containsKey(other)) {
            measured.add(ratio(one, other, packet), rates.get(one) / rates.get(other));
        }
    }

    private static Key rate(Path path, int packet) {
        return new Key("distance", path.toString(), packet, STREAMS, "throughput", "Mbit/s");
    }

    /** Frames that the box dropped in one run. */
    private static Key dropped(Path path, int packet) {
        return new Key("distance", path.toString(), packet, STREAMS, "dropped", "frames");
    }

    private static Key ratio(Path one, Path other, int packet) {
        return new Key("distance", one.toString(), packet, STREAMS, "throughput-of-" + other, "ratio");
    }

    @Override
    public void print(PrintWriter out) {
        out.printf("%nDistance: %d streams over TCP with monitoring through three back ends behind a director with nftables, Mbit/s, medians%n", STREAMS);
        Table<Integer> table = new Table<>("octets a packet", packet -> Integer.toString(packet));
        for (Path path : Path.values()) {
            table.median(path.toString().replace('-', ' '), "%,.0f", samples(), packet -> rate(path, packet));
        }
        table.median("far of near", "%.2f", samples(), packet -> ratio(Path.CLUSTER_FAR, Path.CLUSTER_NEAR, packet))
                .median("far of direct", "%.2f", samples(), packet -> ratio(Path.CLUSTER_FAR, Path.DIRECT_FAR, packet))
                .text("dropped, as the rates", packet -> Arrays.stream(Path.values())
                        .map(path -> Samples.text("%.0f", samples().median(dropped(path, packet)))).collect(Collectors.joining(" ")))
                .print(out, PACKETS);
        out.println("Far: a round trip of 5.8 ms between client and director, as from ENS Lyon to CEA in table 1. Near: the same box without delay. far of "
                + "near, far of direct: of the cluster, medians of the rounds' ratios. dropped: frames of up to 64 KB in one run that the box had no room for, of each way. Nothing is capped: client, box, director, back ends and receiver share this machine.");
        out.printf(Locale.ROOT, "Figure 11 (2003), VTHD, %d octets, %d streams: %.0f Mbit/s%n", PACKET_2003, STREAMS, MEGABITS_2003);
    }

    @Override
    public Map<String, Chart> charts() {
        Chart chart = new Chart("Figure 11: a cluster of three back ends near and far, " + STREAMS + " streams", "octets of the packet, header included", "Mbit/s",
                Axes.LOGARITHMIC_X, List.of("Far: a round trip of 5.8 ms. Everything shares one machine. The cross: 919 Mb/s over VTHD in 2003, Gigabit",
                        "Ethernet, machines of two Pentium III each."));
        for (Path path : Path.values()) {
            Series line = chart.line((path.direct ? "no cluster" : "cluster") + (path.far ? ", long distance" : ", local"), path.colour, false);
            PACKETS.stream().filter(packet -> samples().median(rate(path, packet)) != null)
                    .forEach(packet -> line.add(packet, samples().median(rate(path, packet))));
        }
        chart.mark("2003", PACKET_2003, MEGABITS_2003);
        return Map.of("distance", chart);
    }
}
