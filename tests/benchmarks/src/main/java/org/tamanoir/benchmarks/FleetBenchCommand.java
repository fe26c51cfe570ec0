package org.tamanoir.benchmarks;

import java.util.List;
import org.tamanoir.benchmarks.fleet.FleetParts;
import org.tamanoir.benchmarks.fleet.FleetPlan;
import org.tamanoir.benchmarks.parts.Rounds;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Option;

/** {@code tamanoir bench fleet}. */
@Command(name = "fleet", mixinStandardHelpOptions = true,
        description = {"Measures what serves and leads a fleet of nodes. Installs PostgreSQL and nginx where they are missing.",
            "pulls: bundles a second of one process of a repository in PostgreSQL and of three, each held to the same share of a processor, and of nginx with the same octets; needs root for the share.",
            "upload-kills: uploads to two processes while one of them, or PostgreSQL with all its processes, is killed: what was acknowledged and is lost.",
            "simulation: 1,000 nodes with 10,000 versions on a virtual clock: what an outage of ten minutes does to the server, and how soon nodes have a generation or a revocation.",
            "server: a repository process with as many nodes: processor time of a question that changes nothing, and how long a generation takes to be kept.",
            "Ends with 1 if a target is missed."},
        footer = {"", "Example:", "  tamanoir bench fleet --part upload-kills --kills 50"})
final class FleetBenchCommand extends MeasuringCommand {
    @Option(names = "--part", paramLabel = "NAME", split = ",", description = "What to measure: pulls, upload-kills, simulation, server. Default: all.")
    private List<String> parts;

    @Option(names = "--rounds", paramLabel = "N", description = "How often pulls and the server are measured, and how many seeds are simulated. Default: ${DEFAULT-VALUE}.", defaultValue = "5")
    private int rounds;

    @Option(names = "--seconds", paramLabel = "S", description = "How long one measurement counts. Default: ${DEFAULT-VALUE}.", defaultValue = "3")
    private double seconds;

    @Option(names = "--share", paramLabel = "CPUS", description = "Of a processor, for each process that serves pulls, 0.02 to 1. Default: ${DEFAULT-VALUE}.", defaultValue = "0.1")
    private double share;

    @Option(names = "--kills", paramLabel = "N", description = "1 to 500. Default: ${DEFAULT-VALUE}.", defaultValue = "20")
    private int kills;

    @Option(names = "--seed", paramLabel = "N", description = "Of the moments of kills, and of the first simulation. Default: ${DEFAULT-VALUE}.", defaultValue = "1")
    private long seed;

    @Option(names = "--quick", description = "One simulated outage of a minute.", showDefaultValue = Visibility.NEVER)
    private boolean quick;

    @Override
    int measure(BenchOutput output) {
        FleetPlan plan = new FleetPlan(new Rounds(rounds, seconds), share, kills, seed, quick);
        return output.print(measure(FleetParts.ALL, parts, plan, plan::check, output));
    }
}
