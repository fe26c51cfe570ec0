package org.tamanoir.benchmarks;

import org.tamanoir.benchmarks.compression.CompressionBench;
import org.tamanoir.benchmarks.report.Report;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tamanoir bench compression}. */
@Command(name = "compression", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = {"Compares two nodes that compress to zstd and gzip in a pipe and to two nodes that do not compress, on loopback, with the JDK's modules and with noise.",
            "Installs zstd where it is missing, as root."},
        footer = {"", "Example:", "  tamanoir bench compression --rounds 3 --packet 1400"})
final class CompressionCommand extends MeasuringCommand {
    @Option(names = "--rounds", paramLabel = "N", description = "How often everything is measured; the result is the median.", defaultValue = "5")
    private int rounds;

    @Option(names = "--packet", paramLabel = "OCTETS", description = "Packet length, header included: 64 to 65535.", defaultValue = "60000")
    private int packet;

    @Option(names = "--size", paramLabel = "MB", description = "How much of each kind of data one run sends: 1 to 250.", defaultValue = "120")
    private int megaoctets;

    @Override
    int measure(BenchOutput output) {
        CompressionBench.Plan plan = new CompressionBench.Plan(rounds, packet, megaoctets);
        check(plan::check);
        CompressionBench bench = new CompressionBench(plan, output.progress());
        Report report = bench.run();
        return output.print(report, bench::print);
    }
}
