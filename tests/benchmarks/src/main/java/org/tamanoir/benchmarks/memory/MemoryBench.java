package org.tamanoir.benchmarks.memory;

import java.io.PrintWriter;
import java.util.List;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;

/**
 * {@code bench memory}: what nodes cost when nothing moves. A receiver that never reads, a thousand idle streams, and the time from start to
 * service. All on loopback, with nodes that are processes of their own; needs no root.
 */
public final class MemoryBench {
    static final int PACKET = 8192;
    static final int IDLE_STREAMS = 1000;
    static final Key START = new Key("start", "node", 0, 0, "ready", "s");

    private static final double MAX_GROWTH = 64;
    private static final double MAX_IDLE = 256;
    private static final double MAX_START = 1.5;

    private final Measurements measurements;

    /** @param progress told what is being done, a line at a time */
    public MemoryBench(Consumer<String> progress) {
        measurements = new Measurements(progress);
    }

    /** Runs all in turn, with new processes each time. @param rounds of the memory cases @param starts how often the start is measured */
    public Report run(int rounds, int starts) {
        for (int i = 0; i < starts; i++) {
            measurements.attemptAny("start, " + Measurements.name(i), this::start);
        }
        for (int i = 0; i < rounds; i++) {
            measurements.attemptAny("stalled receiver, " + Measurements.name(i), () -> Streams.stalledReceiver(measurements.samples()));
            measurements.attemptAny("idle streams, " + Measurements.name(i), () -> Streams.idle(measurements.samples()));
        }
        return measurements.report(rounds + starts == 0 ? List.of() : targets(measurements.samples()));
    }

    /** From the start of the process {@code node run} to its READY line, with an empty folder. */
    private void start() {
        try (Workbench workbench = new Workbench()) {
            long start = System.nanoTime();
            NodeProcess.start(workbench, "127.0.0.1:0", workbench.folder("node"));
            measurements.add(START, (System.nanoTime() - start) / 1e9);
        }
    }

    static Key stalled(String system, String metric) {
        return new Key("stalled-receiver", system, PACKET, 1, metric, "MB");
    }

    static Key idle(String metric) {
        return new Key("idle-streams", "node", 64, IDLE_STREAMS, metric, "MB");
    }

    static List<Target> targets(Samples samples) {
        return List.of(
                Target.atMost("receiver that never reads: growth of the first node, MB",
                        samples.median(stalled("first-node", "resident-growth")), MAX_GROWTH),
                Target.atMost("receiver that never reads: growth of the second node, MB",
                        samples.median(stalled("second-node", "resident-growth")), MAX_GROWTH),
                Target.atMost("1,000 idle streams: resident memory, MB", samples.median(idle("resident")), MAX_IDLE),
                Target.atMost("from start to READY, s", samples.median(START), MAX_START));
    }

    /** The figures for people. */
    public void print(PrintWriter out) {
        Table.printRanges(out, measurements.samples().rows());
    }
}
