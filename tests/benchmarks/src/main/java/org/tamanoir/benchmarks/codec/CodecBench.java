package org.tamanoir.benchmarks.codec;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.tamanoir.benchmarks.codec.CodecBenchmarks.ChecksumBenchmark;
import org.tamanoir.benchmarks.codec.CodecBenchmarks.DatagramBenchmark;
import org.tamanoir.benchmarks.codec.CodecBenchmarks.FramingBenchmark;
import org.tamanoir.benchmarks.codec.CodecBenchmarks.OptionsBenchmark;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Target;

/** Runs {@link CodecBenchmarks}. */
public final class CodecBench {
    /** JMH's name of what its collector profiler counts. */
    private static final String ALLOCATION = "gc.alloc.rate.norm";
    /** Octets of heap a packet that count as none: what JMH itself allocates, spread over the packets of an iteration. */
    private static final double NO_ALLOCATION = 0.5;
    private static final double NANOS = 1e9;

    private CodecBench() {
    }

    /**
     * How long.
     *
     * @param iterations of each case that count
     * @param seconds    of an iteration
     * @param forks      JVMs that each case is measured in, one after the other; 0: in this one
     */
    public record Plan(int iterations, int seconds, int forks) {
        /** @throws IllegalArgumentException that says what can be run */
        public void check() {
            if (iterations < 1 || iterations > 100 || seconds < 1 || seconds > 60 || forks < 0 || forks > 10) {
                throw new IllegalArgumentException("--iterations is 1 to 100, --seconds 1 to 60, --forks 0 to 10");
            }
        }
    }

    /** @param progress told what is being measured, a line at a time */
    public static Report run(Plan plan, Consumer<String> progress) {
        Measurements measured = new Measurements(progress);
        for (Class<?> benchmark : List.of(FramingBenchmark.class, OptionsBenchmark.class, DatagramBenchmark.class, ChecksumBenchmark.class)) {
            Options options = new OptionsBuilder().include("^" + benchmark.getCanonicalName().replace(".", "\\.") + "\\.").mode(Mode.AverageTime)
                    .timeUnit(TimeUnit.NANOSECONDS).forks(plan.forks).warmupIterations(2).warmupTime(TimeValue.seconds(1))
                    .measurementIterations(plan.iterations).measurementTime(TimeValue.seconds(plan.seconds)).addProfiler(GCProfiler.class)
                    .verbosity(VerboseMode.SILENT).shouldFailOnError(true).build();
            measured.attemptAny("measuring " + benchmark.getSimpleName(), () -> new Runner(options).run().forEach(result -> add(result, measured)));
        }
        return measured.report(targets(measured.samples().rows()));
    }

    private static void add(RunResult result, Measurements measured) {
        String[] name = result.getParams().getBenchmark().split("\\.");
        String what = name[name.length - 2].replace("Benchmark", "").toLowerCase(Locale.ROOT) + "-" + name[name.length - 1];
        String size = result.getParams().getParam("packet");
        int packet = size == null ? 0 : Integer.parseInt(size);
        for (BenchmarkResult fork : result.getBenchmarkResults()) {
            for (IterationResult iteration : fork.getIterationResults()) {
                double nanos = iteration.getPrimaryResult().getScore();
                measured.add(key(what, packet, "time", "ns/packet"), nanos);
                measured.add(key(what, packet, "rate", "packets/s"), NANOS / nanos);
                measured.add(key(what, packet, "allocation", "octets/packet"), iteration.getSecondaryResults().get(ALLOCATION).getScore());
            }
        }
    }

    private static Key key(String what, int packet, String metric, String unit) {
        return new Key(what, "tamanoir", packet, 0, metric, unit);
    }

    static List<Target> targets(List<Row> rows) {
        return List.of(Target.atMost("octets of heap for each packet found", rows.stream()
                .filter(row -> row.benchCase().equals("framing-next") && row.metric().equals("allocation")).map(Row::value).max(Double::compare)
                .orElse(null), NO_ALLOCATION));
    }
}
