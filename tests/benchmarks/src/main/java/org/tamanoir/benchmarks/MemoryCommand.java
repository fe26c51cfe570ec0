package org.tamanoir.benchmarks;

import org.tamanoir.benchmarks.memory.MemoryBench;
import org.tamanoir.benchmarks.report.Report;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tamanoir bench memory}. */
@Command(name = "memory", mixinStandardHelpOptions = true,
        description = {"Measures a node's memory when a receiver never reads and with 1,000 idle streams, and the time of its start.",
                "On loopback; needs no root."},
        footer = {"", "Example:", "  tamanoir bench memory --rounds 1"})
final class MemoryCommand extends MeasuringCommand {
    @Option(names = "--rounds", paramLabel = "N", description = "How often memory is measured; the result is the median. "
            + "Default: ${DEFAULT-VALUE}.", defaultValue = "3")
    private int rounds;

    @Option(names = "--starts", paramLabel = "N", description = "How often the start is measured. Default: ${DEFAULT-VALUE}.",
            defaultValue = "5")
    private int starts;

    @Override
    int measure(BenchOutput output) {
        if (rounds < 0 || starts < 0 || rounds + starts == 0) {
            throw refused("nothing to measure: give --rounds or --starts");
        }
        MemoryBench bench = new MemoryBench(output.progress());
        Report report = bench.run(rounds, starts);
        return output.print(report, bench::print);
    }
}
