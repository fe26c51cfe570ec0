package org.tamanoir.benchmarks.observatory;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.process.Build;
import org.tamanoir.benchmarks.process.CpuTime;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Target;

/**
 * What it costs a node to read the TCP state of its streams: a thousand streams over 1 Mbit/s each through one node process, which looks at each of them every
 * 0.1 s, or at none. Two JVMs that do the same differ by several percent, since each compiles in its own way; so one process takes turns: off, on, on, off, by
 * reloading its configuration. First with streams at a steady rate, for the processor time; then with streams that send what they can, for the throughput.
 */
public final class SamplingCost extends MeasuredOutcome {
    private static final int STREAMS = 1000;
    private static final int PACKET = 16_000;
    private static final Duration EVERY = Duration.ofMillis(100);
    /** What was gathered before is worked off. */
    private static final Duration SETTLING = Duration.ofMillis(700);
    private static final int WARM_UPS = 2;
    /** At a steady rate a turn of two seconds differs from the next by more than the target, so there are more turns, and shorter ones. */
    private static final int STEADY_TURNS = 4;
    private static final double MOST_CPU = 3;
    private static final double LEAST_THROUGHPUT = 0.98;
    private static final String READS = "tamanoir_tcp_reads_total";
    private static final String STEADY = "steady";
    private static final String FULL = "full";

    private record Slice(double cpu, double octets, double reads) {
        Slice and(Slice other) {
            return new Slice((cpu + other.cpu) / 2, (octets + other.octets) / 2, (reads + other.reads) / 2);
        }
    }

    private SamplingCost(Measurements measured) {
        super("sampling", measured);
    }

    /**
     * Measures.
     *
     * @param rounds of four turns with the full load, after {@value #WARM_UPS} that do not count; {@value #STEADY_TURNS} times as many with the steady one
     * @param slice  how long a turn is measured with the full load; half of it with the steady one
     */
    public static Outcome run(int rounds, Duration slice, Consumer<String> progress) {
        SamplingCost cost = new SamplingCost(new Measurements(progress));
        cost.measured.attemptAny("sampling", () -> cost.run(rounds, slice));
        return cost;
    }

    private void run(int rounds, Duration slice) throws IOException {
        try (Workbench workbench = new Workbench()) {
            Path file = workbench.folder("configuration").resolve("node.yaml");
            configure(file, true);
            NodeProcess node = NodeProcess.start(workbench, "127.0.0.1:0", workbench.folder("node"), "--config", file.toString());
            node.deploy(Build.own().bundle("monitoring"));
            try (SteadyStreams streams = new SteadyStreams(node.address(), STREAMS, PACKET)) {
                run(STEADY, STEADY_TURNS * rounds, streams, EVERY, turn -> slice(node, file, turn, streams, slice.dividedBy(2)));
                run(FULL, rounds, streams, Duration.ZERO, turn -> slice(node, file, turn, streams, slice));
            }
        }
    }

    private void run(String load, int rounds, SteadyStreams streams, Duration every, Turn turn) {
        streams.send(every);
        measured.rounds(WARM_UPS, rounds, round -> {
            measured.doing(load + ", " + Measurements.name(round));
            Slice off = turn.measure(false);
            Slice on = turn.measure(true).and(turn.measure(true));
            compare(load, on, off.and(turn.measure(false)));
        });
    }

    @FunctionalInterface
    private interface Turn {
        Slice measure(boolean samples);
    }

    private void compare(String load, Slice on, Slice off) {
        measured.add(key(load, "on", "cpu", "%"), 100 * on.cpu);
        measured.add(key(load, "off", "cpu", "%"), 100 * off.cpu);
        measured.add(key(load, "on", "throughput", "Mbit/s"), on.octets * 8 / 1e6);
        measured.add(key(load, "off", "throughput", "Mbit/s"), off.octets * 8 / 1e6);
        measured.add(key(load, "on", "reads", "1/s"), on.reads);
        measured.add(cost(load), 100 * (on.cpu - off.cpu));
        measured.add(ratio(load), on.octets / off.octets);
    }

    private static Slice slice(NodeProcess node, Path file, boolean samples, SteadyStreams streams, Duration length) {
        configure(file, samples);
        node.post("/reload");
        Pause.of(SETTLING);
        double reads = reads(node);
        CpuTime cpu = CpuTime.of(node.pid());
        long arrived = streams.arrived();
        long start = System.nanoTime();
        Pause.of(length);
        double octets = streams.arrived() - arrived;
        double used = CpuTime.of(node.pid()).since(cpu);
        double seconds = (System.nanoTime() - start) / 1e9;
        return new Slice(used / seconds, octets / seconds, (reads(node) - reads) / seconds);
    }

    private static double reads(NodeProcess node) {
        return node.admin().text("/metrics").lines().filter(line -> line.startsWith(READS + " ")).mapToDouble(line -> Double.parseDouble(line.substring(READS.length()))).sum();
    }

    private static void configure(Path file, boolean samples) {
        try {
            // Whatever a stream has carried in the last 0.1 s, it counts as one that carries much.
            Files.writeString(file, "tcp-state: {sample: " + samples + ", fast-rate: 0}\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Key key(String load, String system, String metric, String unit) {
        return new Key(load, system, PACKET, STREAMS, metric, unit);
    }

    private static Key cost(String load) {
        return key(load, "on", "cpu-more-than-off", "% of a core");
    }

    private static Key ratio(String load) {
        return key(load, "on", "throughput-of-off", "ratio");
    }

    @Override
    public List<Target> targets() {
        return List.of(Target.atMost("sampling 1,000 streams of 1.3 Mbit/s every 0.1 s, % of a core", samples().median(cost(STEADY)), MOST_CPU),
                Target.atLeast("throughput of 1,000 streams with sampling, of that without", samples().median(ratio(FULL)), LEAST_THROUGHPUT));
    }

    @Override
    public void print(PrintWriter out) {
        out.printf(Locale.ROOT, "TCP sampling: %d streams through one node process on loopback, looked at every 0.1 s, against the same process without. Costs and ratios are medians of those of each round.%n", STREAMS);
        super.print(out);
        out.println();
    }
}
