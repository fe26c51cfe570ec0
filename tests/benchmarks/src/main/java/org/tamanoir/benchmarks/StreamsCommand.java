package org.tamanoir.benchmarks;

import java.nio.file.Path;
import java.time.Duration;
import org.tamanoir.benchmarks.process.Build;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.benchmarks.streams.StreamsBench;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Option;

/** {@code tamanoir bench streams}. */
@Command(name = "streams", mixinStandardHelpOptions = true,
        description = {"Compares short streams of ordinary programs through a gateway and two nodes with monitoring to HAProxy three times in a row and to no relay: "
            + "requests with a connection each, keep-alive requests, queries, the first octet of a new stream; and how soon a node serves.",
            "On loopback. Installs apache2-utils, nginx-light, haproxy and postgresql-15 where they are missing, as root; needs no root where they are there."},
        footer = {"", "Example:", "  tamanoir bench streams --rounds 3 --against ../tamanoir-before"})
final class StreamsCommand extends MeasuringCommand {
    @Option(names = "--rounds", paramLabel = "N", description = "How often everything is measured; the result is the median. Default: 5, with --quick 2.")
    private Integer rounds;

    @Option(names = "--seconds", paramLabel = "S", description = "How long one measurement counts. Default: 4, with --quick 2.")
    private Integer seconds;

    @Option(names = "--warm-up", paramLabel = "S", description = "How long each load runs through each system, twice, before the first round; 0 for none. Default: 10, with --quick 6.")
    private Integer warmUp;

    @Option(names = "--quick", description = "Two rounds of short runs.", showDefaultValue = Visibility.NEVER)
    private boolean quick;

    @Option(names = "--against", paramLabel = "DIR", description = "Another built checkout, such as the commit before, as one more system.")
    private Path against;

    @Override
    int measure(BenchOutput output) {
        check(() -> plan().check());
        StreamsBench bench = new StreamsBench(plan(), output.progress());
        Report report = bench.run();
        return output.print(report, bench::print);
    }

    private StreamsBench.Plan plan() {
        return new StreamsBench.Plan(value(rounds, 5, 2), Duration.ofSeconds(value(seconds, 4, 2)), Duration.ofSeconds(value(warmUp, 10, 6)),
                against == null ? null : Build.before(against));
    }

    private int value(Integer given, int whole, int forQuick) {
        return given != null ? given : quick ? forQuick : whole;
    }
}
