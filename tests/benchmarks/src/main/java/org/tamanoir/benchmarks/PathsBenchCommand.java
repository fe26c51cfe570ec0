package org.tamanoir.benchmarks;

import java.nio.file.Path;
import java.util.List;
import org.tamanoir.benchmarks.parts.Findings;
import org.tamanoir.benchmarks.parts.Rounds;
import org.tamanoir.benchmarks.paths.PathsParts;
import org.tamanoir.benchmarks.paths.PathsPlan;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Option;

/** {@code tamanoir bench paths}. */
@Command(name = "paths", mixinStandardHelpOptions = true,
        description = {"Measures what tuning, queues and classes do to transfers over long paths, and what others keep beside them.",
            "aqm: policers, tail drop, LBE and marks in place of losses, as in figures 2, 3, 4, 10, 20 and 21 of \"DataGRID network services\", behind a router of user-mode Linux.",
            "eds: delays and losses of equivalent classes beside their factors, by simulation and by the module in user-mode Linux (the source of its kernel is 140 MB to fetch; not with --quick), and what LM-TP and SM-TP gain: figures 38 to 41 of DataTAG D2.2.",
            "wad: how long a loss is felt with 'host tune run' and without, and what flows reach where every so many-th packet is lost; wadbeside: what is left to those beside them.",
            "tune: completion times with and without shaping at the entry of a long path, and what a CUBIC and a Reno flow keep beside it (docs/tuning.md).",
            "Needs root. Ends with 1 if a target is missed."},
        footer = {"", "Example:", "  tamanoir bench paths --csv figures --plots figures"})
final class PathsBenchCommand extends MeasuringCommand {
    @Option(names = "--part", paramLabel = "NAME", split = ",", description = "What to measure: aqm, eds, wad, wadbeside, tune. Default: all.")
    private List<String> parts;

    @Option(names = "--rounds", paramLabel = "N", description = "How often everything is measured. Default: ${DEFAULT-VALUE}.", defaultValue = "3")
    private int rounds;

    @Option(names = "--seconds", paramLabel = "S", description = "How long one measurement counts. Default: ${DEFAULT-VALUE}.", defaultValue = "10")
    private double seconds;

    @Option(names = "--seed", paramLabel = "N", description = "Of what is random. Default: ${DEFAULT-VALUE}.", defaultValue = "1")
    private long seed;

    @Option(names = "--quick", description = "Smaller cases.", showDefaultValue = Visibility.NEVER)
    private boolean quick;

    @Option(names = "--csv", paramLabel = "DIR", description = "Write every number, as comma-separated values.")
    private Path csv;

    @Option(names = "--plots", paramLabel = "DIR", description = "Draw what was measured, as SVG.")
    private Path plots;

    @Override
    int measure(BenchOutput output) {
        PathsPlan plan = new PathsPlan(new Rounds(rounds, seconds), seed, quick);
        Findings found = measure(PathsParts.ALL, parts, plan, plan.rounds()::check, output);
        found.writeCsv(csv);
        found.plot(plots);
        return output.print(found);
    }
}
