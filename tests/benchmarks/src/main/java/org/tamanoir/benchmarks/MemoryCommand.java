package org.tamanoir.benchmarks;

import java.util.concurrent.Callable;
import org.tamanoir.benchmarks.memory.MemoryBench;
import org.tamanoir.benchmarks.report.Report;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tamanoir bench memory}. */
@Command(name = "memory", mixinStandardHelpOptions = true,
        description = {"Measures a node's memory when a receiver never reads and with 1,000 idle streams, and the time of its start.",
                "On loopback; needs no root."},
        footer = {"", "Example:", "  tamanoir bench memory --rounds 1"})
final class MemoryCommand implements Callable<Integer> {
    @Option(names = "--rounds", paramLabel = "N", description = "How often memory is measured; the result is the median. "
            + "Default: ${DEFAULT-VALUE}.", defaultValue = "3")
    private int rounds;

    @Option(names = "--starts", paramLabel = "N", description = "How often the start is measured. Default: ${DEFAULT-VALUE}.",
            defaultValue = "5")
    private int starts;

    @Option(names = "--json", description = "One JSON object.")
    private boolean json;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        if (rounds < 0 || starts < 0 || rounds + starts == 0) {
            throw new ParameterException(spec.commandLine(), "nothing to measure: give --rounds or --starts");
        }
        BenchOutput output = new BenchOutput(spec.commandLine().getOut(), spec.commandLine().getErr(), json);
        MemoryBench bench = new MemoryBench(output.progress());
        Report report = bench.run(rounds, starts);
        return output.print(report, bench::print);
    }
}
