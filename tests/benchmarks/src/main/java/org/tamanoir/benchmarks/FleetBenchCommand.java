package org.tamanoir.benchmarks;

import java.util.List;
import org.tamanoir.benchmarks.fleet.FleetParts;
import org.tamanoir.benchmarks.fleet.FleetPlan;
import org.tamanoir.benchmarks.parts.Rounds;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tamanoir bench fleet}. */
@Command(name = "fleet", mixinStandardHelpOptions = true,
        description = {"Measures what serves a fleet of nodes. Installs PostgreSQL and nginx where they are missing.",
            "pulls: bundles a second of one process of a repository in PostgreSQL and of three, each held to the same share of a processor, and of nginx with the same octets; needs root for the share.",
            "upload-kills: uploads to two processes while one of them, or PostgreSQL with all its processes, is killed: what was acknowledged and is lost.",
            "Ends with 1 if a target is missed."},
        footer = {"", "Example:", "  tamanoir bench fleet --part upload-kills --kills 50"})
final class FleetBenchCommand extends MeasuringCommand {
    @Option(names = "--part", paramLabel = "NAME", split = ",", description = "What to measure: pulls, upload-kills. Default: all.")
    private List<String> parts;

    @Option(names = "--rounds", paramLabel = "N", description = "How often pulls are measured. Default: ${DEFAULT-VALUE}.", defaultValue = "5")
    private int rounds;

    @Option(names = "--seconds", paramLabel = "S", description = "How long one measurement counts. Default: ${DEFAULT-VALUE}.", defaultValue = "3")
    private double seconds;

    @Option(names = "--share", paramLabel = "CPUS", description = "Of a processor, for each process that serves pulls, 0.02 to 1. Default: ${DEFAULT-VALUE}.", defaultValue = "0.1")
    private double share;

    @Option(names = "--kills", paramLabel = "N", description = "1 to 500. Default: ${DEFAULT-VALUE}.", defaultValue = "20")
    private int kills;

    @Option(names = "--seed", paramLabel = "N", description = "Of the moments of kills. Default: ${DEFAULT-VALUE}.", defaultValue = "1")
    private long seed;

    @Override
    int measure(BenchOutput output) {
        FleetPlan plan = new FleetPlan(new Rounds(rounds, seconds), share, kills, seed);
        return output.print(measure(FleetParts.ALL, parts, plan, plan::check, output));
    }
}
