package org.tamanoir.benchmarks;

import java.util.List;
import org.tamanoir.benchmarks.survive.SurviveBench;
import org.tamanoir.benchmarks.survive.SurvivePlan;
import org.tamanoir.benchmarks.survive.SurvivePlan.Place;
import org.tamanoir.benchmarks.survive.SurvivePlan.Way;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tamanoir bench survive}. */
@Command(name = "survive", mixinStandardHelpOptions = true,
        description = {"Fetches files with programs that know nothing of nodes, through a gateway, two nodes and an endpoint, and loses one of the nodes in the middle of each.",
            "Needs root, and installs the programs that are missing. Takes about ten seconds for each loss. Ends with 1 if a target is missed."},
        footer = {"", "Example:", "  tamanoir bench survive --programs curl,psql --losses 1"})
final class SurviveCommand extends MeasuringCommand {
    @Option(names = "--programs", split = ",", paramLabel = "NAME", description = "Which: curl, rsync, psql, scp, git, xrdcp. Default: ${DEFAULT-VALUE}.",
            defaultValue = "curl,rsync,psql,scp,git,xrdcp")
    private List<String> programs;

    @Option(names = "--ways", split = ",", paramLabel = "WAY", description = "How a node is lost: kill (SIGKILL), stop (SIGSTOP), gone (its cable is drawn). "
            + "Default: ${DEFAULT-VALUE}.", defaultValue = "kill,stop,gone")
    private List<String> ways;

    @Option(names = "--places", split = ",", paramLabel = "PLACE", description = "Which node on the way: first, second. Default: ${DEFAULT-VALUE}.", defaultValue = "first,second")
    private List<String> places;

    @Option(names = "--losses", paramLabel = "N", description = "Transfers of each program for each way and place. Default: ${DEFAULT-VALUE}.", defaultValue = "4")
    private int losses;

    @Option(names = "--service", paramLabel = "NAME", description = "The service of every stream. Default: ${DEFAULT-VALUE}.", defaultValue = "monitoring")
    private String service;

    @Option(names = "--megabytes", paramLabel = "N", description = "Of each transfer. Default: ${DEFAULT-VALUE}.", defaultValue = "30")
    private int megabytes;

    @Override
    int measure(BenchOutput output) {
        SurvivePlan[] plan = new SurvivePlan[1];
        check(() -> {
            plan[0] = new SurvivePlan(programs, SurvivePlan.read(ways, Way.values()), SurvivePlan.read(places, Place.values()), losses, service, megabytes);
            plan[0].check();
        });
        SurviveBench bench = new SurviveBench(plan[0], output.progress());
        return output.print(bench.run(), bench::print);
    }
}
