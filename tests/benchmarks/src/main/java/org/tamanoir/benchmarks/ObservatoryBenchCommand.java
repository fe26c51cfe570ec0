package org.tamanoir.benchmarks;

import java.util.List;
import org.tamanoir.benchmarks.observatory.ObservatoryParts;
import org.tamanoir.benchmarks.observatory.ObservatoryPlan;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tamanoir bench observatory}. */
@Command(name = "observatory", mixinStandardHelpOptions = true,
        description = {"Measures the observatory, beside what the papers print.",
            "figures: the tables of GlueDomains and DataGRID recomputed. simulation: random plans with a simulated clock, and a day of many domains in a full mesh. "
                + "database: what days of samples take on SQLite and PostgreSQL, and a year by that. intake: samples a second that are on the disk, beside the disk. "
                + "forecast: series with a step. sampling: what it costs to read the TCP state of a thousand streams. scope: the experiment of SCoPE in namespaces, with real theodolites, copies and busy links.",
            "scope needs root and takes more than eight minutes. database and intake install PostgreSQL where it is missing, as root. "
                + "How often verdicts are right is a test: WhyAStreamIsSlowTest, with the tag sweep.",
            "Ends with 1 if a target is missed."},
        footer = {"", "Example:", "  tamanoir bench observatory --part figures,forecast"})
final class ObservatoryBenchCommand extends MeasuringCommand {
    @Option(names = "--part", paramLabel = "NAME", split = ",", description = "What to measure: figures, simulation, database, intake, forecast, sampling, scope. Default: ${DEFAULT-VALUE}.",
            defaultValue = "figures,simulation,database,intake,forecast,sampling,scope")
    private List<String> parts;

    @Option(names = "--seed", paramLabel = "N", description = "Of random plans, series, samples and choices. Default: ${DEFAULT-VALUE}.", defaultValue = "1")
    private long seed;

    @Option(names = "--plans", paramLabel = "N", description = "Random plans of simulation. Default: ${DEFAULT-VALUE}.", defaultValue = "10000")
    private int plans;

    @Option(names = "--domains", paramLabel = "N", description = "In a full mesh, of simulation and database. Default: ${DEFAULT-VALUE}.", defaultValue = "200")
    private int domains;

    @Option(names = "--days", paramLabel = "N", description = "Of database, before anything is forgotten; as many follow. With fewer than five the target of sizes cannot hold: there is a day more before the oldest goes. Default: ${DEFAULT-VALUE}.",
            defaultValue = "5")
    private int days;

    @Option(names = "--rows", paramLabel = "N", description = "Of database, about so many a day. Default: ${DEFAULT-VALUE}.", defaultValue = "90000")
    private int rows;

    @Option(names = "--rounds", paramLabel = "N", description = "Of intake and sampling, four times as many of sampling at a steady rate; the result is the median. Default: ${DEFAULT-VALUE}.", defaultValue = "3")
    private int rounds;

    @Option(names = "--seconds", paramLabel = "S", description = "That a run of intake or sampling counts, half of it of sampling at a steady rate. Default: ${DEFAULT-VALUE}.", defaultValue = "3")
    private double seconds;

    @Option(names = "--fetches", paramLabel = "N", description = "Of scope, by each way to choose. Default: ${DEFAULT-VALUE}.", defaultValue = "10")
    private int fetches;

    @Option(names = "--scale", paramLabel = "N", description = "Of scope: the file is the paper's, 1,246,076,580 octets, divided by it. Default: ${DEFAULT-VALUE}.", defaultValue = "40")
    private int scale;

    @Option(names = "--ways", paramLabel = "WAY", split = ",", description = "Of scope, how a source is chosen: random, netcost, time. Default: ${DEFAULT-VALUE}.",
            defaultValue = "random,netcost,time")
    private List<String> ways;

    @Override
    int measure(BenchOutput output) {
        ObservatoryPlan plan = new ObservatoryPlan(seed, plans, domains, days, rows, seconds, rounds, fetches, scale, ways);
        return output.print(measure(ObservatoryParts.of(parts), parts, plan, plan::check, output));
    }
}
