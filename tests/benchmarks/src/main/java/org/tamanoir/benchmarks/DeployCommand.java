package org.tamanoir.benchmarks;

import org.tamanoir.benchmarks.deploy.DeployBench;
import org.tamanoir.benchmarks.report.Report;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tamanoir bench deploy}. */
@Command(name = "deploy", mixinStandardHelpOptions = true,
        description = {"Measures how long a stream waits for a service that its node does not run yet: from a repository, from the store, "
            + "from the previous node, after a push, and when it is active.",
            "On loopback; needs no root. A round takes about 15 s."},
        footer = {"", "Example:", "  tamanoir bench deploy --rounds 5"})
final class DeployCommand extends MeasuringCommand {
    private static final int MOST_ROUNDS = 100;

    @Option(names = "--rounds", paramLabel = "N", description = "How often everything is measured, with new processes and folders; the "
            + "result is the median. Default: ${DEFAULT-VALUE}.", defaultValue = "5")
    private int rounds;

    @Option(names = "--development", description = "With bundles that nobody has signed, on nodes that take them. Otherwise they are signed, and the "
            + "nodes check that.")
    private boolean development;

    @Override
    int measure(BenchOutput output) {
        if (rounds < 1 || rounds > MOST_ROUNDS) {
            throw refused(rounds + " rounds: give 1 to " + MOST_ROUNDS);
        }
        DeployBench bench = new DeployBench(output.progress());
        Report report = bench.run(rounds, !development);
        return output.print(report, bench::print);
    }
}
