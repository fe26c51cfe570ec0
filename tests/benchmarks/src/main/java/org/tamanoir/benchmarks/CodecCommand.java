package org.tamanoir.benchmarks;

import org.tamanoir.benchmarks.codec.CodecBench;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.benchmarks.report.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tamanoir bench codec}. */
@Command(name = "codec", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = {"What the wire format costs: finding packets, options, checksum; time and heap for each packet, by JMH.",
            "About a minute; more and longer iterations give figures to compare with others."},
        footer = {"", "Example:", "  tamanoir bench codec --json", "  tamanoir bench codec --iterations 5 --seconds 2"})
final class CodecCommand extends MeasuringCommand {
    @Option(names = "--iterations", paramLabel = "N", defaultValue = "3", description = "Iterations measured of each.")
    private int iterations;

    @Option(names = "--seconds", paramLabel = "N", defaultValue = "1", description = "Length of an iteration.")
    private int seconds;

    @Option(names = "--forks", paramLabel = "N", defaultValue = "1",
            description = "JVMs that each is measured in, one after the other; 0: in this one, faster and less exact.")
    private int forks;

    @Override
    int measure(BenchOutput output) {
        CodecBench.Plan plan = new CodecBench.Plan(iterations, seconds, forks);
        check(plan::check);
        Report report = CodecBench.run(plan, output.progress());
        return output.print(report, out -> Table.printCases(out, report.rows()));
    }
}
