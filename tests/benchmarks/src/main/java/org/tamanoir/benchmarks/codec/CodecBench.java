package org.tamanoir.benchmarks.codec;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cli.ExitCode;
import org.tamanoir.cli.Json;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tamanoir bench codec}: runs the benchmarks of this package and prints them as every bench does. */
@Command(name = "codec", mixinStandardHelpOptions = true,
        description = {"What the wire format costs: finding packets, options, checksum; time and heap for each packet, by JMH.",
            "About a minute; more and longer iterations give figures to compare with others."},
        footer = {"", "Example:", "  tamanoir bench codec --json", "  tamanoir bench codec --iterations 5 --seconds 2"})
public final class CodecBench implements Callable<Integer> {
    /** JMH's name of what its collector profiler counts. */
    private static final String ALLOCATION = "gc.alloc.rate.norm";
    /** Octets of heap a packet that count as none: what JMH itself allocates, spread over the packets of an iteration. */
    private static final double NO_ALLOCATION = 0.5;

    @Spec
    private CommandSpec spec;

    @Option(names = "--json", description = "One object instead of a table.")
    private boolean json;

    @Option(names = "--iterations", paramLabel = "N", defaultValue = "3", description = "Iterations measured of each (default: 3).")
    private int iterations;

    @Option(names = "--seconds", paramLabel = "N", defaultValue = "1", description = "Length of an iteration (default: 1).")
    private int seconds;

    @Option(names = "--forks", paramLabel = "N", defaultValue = "1",
            description = "JVMs that each is measured in, one after the other; 0: in this one, faster and less exact (default: 1).")
    private int forks;

    @Override
    public Integer call() {
        if (iterations < 1 || iterations > 100 || seconds < 1 || seconds > 60 || forks < 0 || forks > 10) {
            throw new ParameterException(spec.commandLine(), "--iterations is 1 to 100, --seconds 1 to 60, --forks 0 to 10");
        }
        PrintWriter out = spec.commandLine().getOut();
        List<CodecRow> rows = measure();
        if (json) {
            Json.print(out, report(rows));
        } else {
            rows.forEach(row -> out.println(row.text()));
            out.flush();
        }
        return ExitCode.DONE;
    }

    private List<CodecRow> measure() {
        List<CodecRow> rows = new ArrayList<>();
        for (Class<?> benchmark : List.of(FramingBenchmark.class, OptionsBenchmark.class, DatagramBenchmark.class, ChecksumBenchmark.class)) {
            if (System.console() != null) {
                spec.commandLine().getErr().println("measuring " + benchmark.getSimpleName() + " ...");
            }
            Options options = new OptionsBuilder().include("^" + benchmark.getName().replace(".", "\\.") + "\\.").forks(forks)
                    .warmupIterations(2).warmupTime(TimeValue.seconds(1)).measurementIterations(iterations)
                    .measurementTime(TimeValue.seconds(seconds)).addProfiler(GCProfiler.class).verbosity(VerboseMode.SILENT)
                    .shouldFailOnError(true).build();
            try {
                rows(new Runner(options).run(), rows);
            } catch (RunnerException e) {
                throw new AnepException(ErrorCode.INTERNAL, "the benchmark cannot run: " + e.getMessage(), e);
            }
        }
        return rows;
    }

    private static void rows(Collection<RunResult> results, List<CodecRow> rows) {
        for (RunResult result : results) {
            String[] name = result.getParams().getBenchmark().split("\\.");
            String what = name[name.length - 2].replace("Benchmark", "").toLowerCase(Locale.ROOT) + "-" + name[name.length - 1];
            String size = result.getParams().getParam("packet");
            int packet = size == null ? 0 : Integer.parseInt(size);
            double nanos = result.getPrimaryResult().getStatistics().getPercentile(50);
            int runs = (int) result.getPrimaryResult().getStatistics().getN();
            rows.add(new CodecRow(what, packet, "time", nanos, "ns/packet", runs));
            rows.add(new CodecRow(what, packet, "rate", 1e9 / nanos, "packets/s", runs));
            rows.add(new CodecRow(what, packet, "allocation",
                    result.getSecondaryResults().get(ALLOCATION).getStatistics().getPercentile(50), "octets/packet", runs));
        }
    }

    private static Map<String, Object> report(List<CodecRow> rows) {
        Map<String, Object> machine = new LinkedHashMap<>();
        machine.put("cpus", Runtime.getRuntime().availableProcessors());
        machine.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        machine.put("java", System.getProperty("java.vm.name") + " " + Runtime.version());
        double most = rows.stream().filter(row -> row.is("framing-next", "allocation")).mapToDouble(CodecRow::value).max().orElseThrow();
        Map<String, Object> target = new LinkedHashMap<>();
        target.put("name", "octets of heap for each packet found, at most");
        target.put("value", Math.round(most * 1000) / 1000.0);
        target.put("target", NO_ALLOCATION);
        target.put("holds", most <= NO_ALLOCATION);
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("machine", machine);
        report.put("rows", rows.stream().map(CodecRow::object).toList());
        report.put("targets", List.of(target));
        return report;
    }
}
