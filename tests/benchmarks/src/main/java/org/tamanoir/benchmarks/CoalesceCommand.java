package org.tamanoir.benchmarks;

import org.tamanoir.benchmarks.coalesce.CoalesceBench;
import org.tamanoir.benchmarks.coalesce.CoalescePlan;
import org.tamanoir.benchmarks.report.Report;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tamanoir bench coalesce}. */
@Command(name = "coalesce", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = {"Measures what the service coalesce is worth to packets of 64 octets on a link with a limit of packets a second, and what it adds to their time.",
            "Makes network namespaces, as root. Ends with 1 if a target is missed."},
        footer = {"", "Example:", "  tamanoir bench coalesce --rounds 5 --limit 2000"})
final class CoalesceCommand extends MeasuringCommand {
    @Option(names = "--rounds", paramLabel = "N", description = "How often everything is measured; the result is the median.", defaultValue = "5")
    private int rounds;

    @Option(names = "--seconds", paramLabel = "N", description = "How long each run counts.", defaultValue = "2")
    private int seconds;

    @Option(names = "--limit", paramLabel = "N", description = "Packets a second that the link between the nodes carries.", defaultValue = "2000")
    private int limit;

    @Option(names = "--rate", paramLabel = "N", description = "Datagrams a second of the faster stream whose times are taken.", defaultValue = "10000")
    private int rate;

    @Override
    int measure(BenchOutput output) {
        CoalescePlan plan = new CoalescePlan(rounds, seconds, limit, rate);
        check(plan::check);
        CoalesceBench bench = new CoalesceBench(plan, output.progress());
        Report report = bench.run();
        return output.print(report, bench::print);
    }
}
