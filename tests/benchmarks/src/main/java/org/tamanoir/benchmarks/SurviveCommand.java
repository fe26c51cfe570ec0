package org.tamanoir.benchmarks;

import java.util.List;
import org.tamanoir.benchmarks.parts.Part;
import org.tamanoir.benchmarks.parts.Parts;
import org.tamanoir.benchmarks.parts.Rounds;
import org.tamanoir.benchmarks.survive.Losses;
import org.tamanoir.benchmarks.survive.ManySessions;
import org.tamanoir.benchmarks.survive.MarkCost;
import org.tamanoir.benchmarks.survive.SurvivePlan;
import org.tamanoir.benchmarks.survive.SurvivePlan.Place;
import org.tamanoir.benchmarks.survive.SurvivePlan.State;
import org.tamanoir.benchmarks.survive.SurvivePlan.Way;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tamanoir bench survive}. */
@Command(name = "survive", mixinStandardHelpOptions = true,
        description = {"Measures connections that outlive their nodes.",
            "losses: fetches files with programs that know nothing of nodes, through a gateway, two nodes and an endpoint, and loses one of the nodes in the middle of "
                + "each. Needs root, and installs the programs that are missing. Takes about ten seconds for each loss. "
                + "cost: what the marks of a session cost, on loopback. many: the memory of a gateway and an endpoint with many sessions, and how soon all go on after a "
                + "kill, on loopback.",
            "Ends with 1 if a target is missed."},
        footer = {"", "Example:", "  tamanoir bench survive --part cost,many --rounds 15 --sessions 1000"})
final class SurviveCommand extends MeasuringCommand {
    private static final Parts<SurvivePlan> PARTS = Parts.onLoopback(List.of(new Part<>("losses", Losses::run), new Part<>("cost", MarkCost::run),
            new Part<>("many", ManySessions::run)));

    @Option(names = "--part", paramLabel = "NAME", split = ",", description = "What to measure: losses, cost, many. Default: ${DEFAULT-VALUE}.", defaultValue = "losses")
    private List<String> parts;

    @Option(names = "--programs", split = ",", paramLabel = "NAME", description = "Of losses: curl, rsync, psql, scp, git, xrdcp. Default: ${DEFAULT-VALUE}.",
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

    @Option(names = "--rounds", paramLabel = "N", description = "Of cost; the result is the median. Default: ${DEFAULT-VALUE}.", defaultValue = "9")
    private int rounds;

    @Option(names = "--seconds", paramLabel = "S", description = "That a measurement of cost counts, and for which the sessions of many do the same. Default: ${DEFAULT-VALUE}.",
            defaultValue = "2")
    private double seconds;

    @Option(names = "--sessions", paramLabel = "N", description = "Of many. Default: ${DEFAULT-VALUE}.", defaultValue = "1000")
    private int sessions;

    @Option(names = "--states", split = ",", paramLabel = "STATE", description = "Of many, what the sessions do when their node is killed: idle, busy (both ends send as fast as "
            + "they can), stalled (the server takes nothing). Default: ${DEFAULT-VALUE}.", defaultValue = "idle,busy,stalled")
    private List<String> states;

    @Override
    int measure(BenchOutput output) {
        SurvivePlan[] plan = new SurvivePlan[1];
        check(() -> {
            plan[0] = new SurvivePlan(programs, SurvivePlan.read(ways, Way.values()), SurvivePlan.read(places, Place.values()), losses, service, megabytes,
                    new Rounds(rounds, seconds), sessions, SurvivePlan.read(states, State.values()));
            plan[0].check();
        });
        return output.print(measure(PARTS, parts, plan[0], () -> { }, output));
    }
}
