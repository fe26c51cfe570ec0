package org.tamanoir.benchmarks.memory;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.report.Machine;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.lab.LabException;

/** Runs the three cases in turn, with new processes each time. */
public final class MemoryBench {
    private static final double MAX_GROWTH = 64;
    private static final double MAX_IDLE = 256;
    private static final double MAX_START = 1.5;

    private interface Case {
        void measure(Samples samples) throws IOException, InterruptedException;
    }

    private final Samples samples = new Samples();
    private final List<String> failures = new ArrayList<>();
    private final Consumer<String> progress;

    /** @param progress told what is being done, a line at a time */
    public MemoryBench(Consumer<String> progress) {
        this.progress = progress;
    }

    /** @param rounds how often the memory cases are measured @param starts how often the start is */
    public Report run(int rounds, int starts) {
        Map<String, String> machine = Machine.describe();
        for (int i = 0; i < starts; i++) {
            attempt("start", i, StartTime::measure);
        }
        for (int i = 0; i < rounds; i++) {
            attempt("stalled receiver", i, StalledReceiver::measure);
            attempt("idle streams", i, IdleStreams::measure);
        }
        return new Report(machine, samples.rows(), rounds + starts == 0 ? List.of() : targets(), List.copyOf(failures));
    }

    private void attempt(String what, int round, Case measured) {
        progress.accept(what + ", round " + (round + 1));
        try {
            measured.measure(samples);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LabException("interrupted", e);
        } catch (LabException | IOException e) {
            failures.add(what + ", round " + (round + 1) + ": " + e.getMessage());
        }
    }

    private List<Target> targets() {
        return List.of(
                Target.atMost("receiver that never reads: growth of the first node, MB", samples.median(Memory.growth("first-node")), MAX_GROWTH),
                Target.atMost("receiver that never reads: growth of the second node, MB", samples.median(Memory.growth("second-node")), MAX_GROWTH),
                Target.atMost("1,000 idle streams: resident memory, MB", samples.median(Memory.idle("resident")), MAX_IDLE),
                Target.atMost("from start to READY, s", samples.median(Memory.start()), MAX_START));
    }

    /** The figures for people. */
    public void print(PrintWriter out) {
        if (samples.rows().isEmpty()) {
            return;
        }
        out.printf("%n%-18s %-12s %-18s %10s %-4s %10s %10s%n", "case", "system", "metric", "median", "", "least", "most");
        for (Row row : samples.rows()) {
            out.printf("%-18s %-12s %-18s %10.2f %-4s %10.2f %10.2f%n", row.benchCase(), row.system(), row.metric(), row.value(),
                    row.unit(), row.low(), row.high());
        }
    }
}
