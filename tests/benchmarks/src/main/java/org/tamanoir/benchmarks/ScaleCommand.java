package org.tamanoir.benchmarks;

import java.nio.file.Path;
import java.util.List;
import org.tamanoir.benchmarks.parts.Findings;
import org.tamanoir.benchmarks.parts.Rounds;
import org.tamanoir.benchmarks.scale.Scale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tamanoir bench scale}. */
@Command(name = "scale", mixinStandardHelpOptions = true,
        description = {"Measures what nodes carry and take with more of everything: 1 to 9,500 streams that stay open, 1 to 10,000 routes, 1 to 200 services, 1 to 8 "
                + "nodes in a row, one processor and all.",
            "Throughput of eight streams, CPU time, round trips, first octets of new streams, memory, time to READY. On loopback; needs no root. About ten minutes."},
        footer = {"", "Example:", "  tamanoir bench scale --part streams,hops --rounds 1"})
final class ScaleCommand extends MeasuringCommand {
    @Option(names = "--part", paramLabel = "NAME", split = ",", description = "What there is many of: streams, routes, services, hops, cores. Default: all.")
    private List<String> names;

    @Option(names = "--rounds", paramLabel = "N", description = "How often everything is measured; the result is the median. Default: ${DEFAULT-VALUE}.",
            defaultValue = "" + Rounds.COUNT)
    private int rounds;

    @Option(names = "--seconds", paramLabel = "S", description = "How long one measurement counts. Default: ${DEFAULT-VALUE}.", defaultValue = "" + Rounds.SECONDS)
    private double seconds;

    @Option(names = "--most", paramLabel = "N", description = "Leave larger numbers out. Default: ${DEFAULT-VALUE}.", defaultValue = "" + Scale.Plan.MOST)
    private int most;

    @Option(names = "--csv", paramLabel = "DIR", description = "Write every number, as comma-separated values.")
    private Path csv;

    @Override
    int measure(BenchOutput output) {
        Scale.Plan plan = new Scale.Plan(new Rounds(rounds, seconds), most);
        Findings found = measure(Scale.PARTS, names, plan, plan::check, output);
        found.writeCsv(csv);
        return output.print(found);
    }
}
