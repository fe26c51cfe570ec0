package org.tamanoir.benchmarks.cluster.distance;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.tamanoir.benchmarks.cluster.distance.Distance.Path;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.plot.Chart.Axes;
import org.tamanoir.benchmarks.plot.Chart.Series;
import org.tamanoir.benchmarks.report.Csv;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;

/** The rates of all rounds. */
final class DistanceOutcome implements Outcome {
    private static final double MEGABITS = 8 / 1e6;
    private static final int PACKET_2003 = 8192;
    private static final double MEGABITS_2003 = 919;

    private final Samples samples = new Samples();
    private final List<String> failures = new ArrayList<>();

    /** Takes one round. @param rates octets a second */
    void add(int packet, Map<Path, Double> rates) {
        rates.forEach((path, rate) -> samples.add(rate(path, packet), rate * MEGABITS));
        addRatio(packet, rates, Path.CLUSTER_FAR, Path.CLUSTER_NEAR);
        addRatio(packet, rates, Path.CLUSTER_FAR, Path.DIRECT_FAR);
        addRatio(packet, rates, Path.CLUSTER_NEAR, Path.DIRECT_NEAR);
        addRatio(packet, rates, Path.DIRECT_FAR, Path.DIRECT_NEAR);
    }

    private void addRatio(int packet, Map<Path, Double> rates, Path one, Path other) {
        if (rates.containsKey(one) && rates.containsKey(other)) {
            samples.add(ratio(one, other, packet), rates.get(one) / rates.get(other));
        }
    }

    /** @param frames that the box dropped in one run */
    void dropped(int packet, Path path, long frames) {
        samples.add(drops(path, packet), frames);
    }

    void failed(String why) {
        failures.add("distance, " + why);
    }

    private static Key rate(Path path, int packet) {
        return new Key("distance", path.toString(), packet, Distance.STREAMS, "throughput", "Mbit/s");
    }

    private static Key drops(Path path, int packet) {
        return new Key("distance", path.toString(), packet, Distance.STREAMS, "dropped", "frames");
    }

    private static Key ratio(Path one, Path other, int packet) {
        return new Key("distance", one.toString(), packet, Distance.STREAMS, "throughput-of-" + other, "ratio");
    }

    @Override
    public List<Row> rows() {
        return samples.rows();
    }

    @Override
    public List<String> failures() {
        return List.copyOf(failures);
    }

    @Override
    public void print(PrintWriter out) {
        out.printf("%nDistance: %d streams over TCP with monitoring through three back ends behind a director with nftables, Mbit/s, medians%n", Distance.STREAMS);
        out.printf("%-18s %12s %12s %12s %12s   %14s %14s %22s%n", "octets a packet", "direct near", "cluster near", "direct far", "cluster far", "far of near",
                "far of direct", "dropped, as the rates");
        for (int packet : Distance.PACKETS) {
            out.printf("%-18d", packet);
            for (Path path : Path.values()) {
                out.printf(" %12s", Samples.text("%,.0f", samples.median(rate(path, packet))));
            }
            out.printf("   %14s %14s %22s%n", Samples.text("%.2f", samples.median(ratio(Path.CLUSTER_FAR, Path.CLUSTER_NEAR, packet))),
                    Samples.text("%.2f", samples.median(ratio(Path.CLUSTER_FAR, Path.DIRECT_FAR, packet))),
                    Arrays.stream(Path.values()).map(path -> Samples.text("%.0f", samples.median(drops(path, packet)))).collect(Collectors.joining(" ")));
        }
        out.println("Far: a round trip of 5.8 ms between client and director, as from ENS Lyon to CEA in table 1. Near: the same box without delay. far of "
                + "near, far of direct: of the cluster, medians of the rounds' ratios. dropped: frames of up to 64 KB in one run that the box had no room for, of each way. Nothing is capped: client, box, director, back ends and receiver share this machine.");
        out.printf(Locale.ROOT, "Figure 11 (2003), VTHD, %d octets, %d streams: %.0f Mbit/s%n", PACKET_2003, Distance.STREAMS, MEGABITS_2003);
    }

    @Override
    public Map<String, String> csv() {
        return Map.of("distance", Csv.of(rows()));
    }

    @Override
    public Map<String, Chart> charts() {
        Chart chart = new Chart("Figure 11: a cluster of three back ends near and far, " + Distance.STREAMS + " streams", "octets of the packet, header included", "Mbit/s",
                Axes.LOGARITHMIC_X, List.of("Far: a round trip of 5.8 ms. Everything shares one machine. The cross: 919 Mb/s over VTHD in 2003, Gigabit",
                        "Ethernet, machines of two Pentium III each."));
        for (Path path : Path.values()) {
            Series line = path.line();
            Distance.PACKETS.stream().filter(packet -> samples.median(rate(path, packet)) != null)
                    .forEach(packet -> line.add(packet, samples.median(rate(path, packet))));
            chart.series().add(line);
        }
        chart.mark("2003", PACKET_2003, MEGABITS_2003);
        return Map.of("distance", chart);
    }
}
