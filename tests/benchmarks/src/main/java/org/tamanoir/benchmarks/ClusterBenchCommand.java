package org.tamanoir.benchmarks;

import java.util.List;
import org.tamanoir.benchmarks.cluster.ClusterPlan;
import org.tamanoir.benchmarks.cluster.distance.Distance;
import org.tamanoir.benchmarks.cluster.failure.Failures;
import org.tamanoir.benchmarks.cluster.scaling.Scaling;
import org.tamanoir.benchmarks.parts.Part;
import org.tamanoir.benchmarks.parts.Parts;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Option;

/** {@code tamanoir bench cluster}. */
@Command(name = "cluster", mixinStandardHelpOptions = true,
        description = {"Measures a cluster behind a director with real IPVS (in user-mode Linux; distance: with nftables), in network namespaces.",
            "scaling: what one, two and three back ends carry, each with the same part of a processor (active grid paper, figure 10). distance: what three carry for a client far away (figure 11). failure: what streams see "
                + "when a back end is killed, when one leaves and comes back, and when the master of two directors loses its power.",
            "Needs root and control groups that cap processor time; installs user-mode-linux, ipvsadm, keepalived and what they need where they are missing."},
        footer = {"", "Example:", "  tamanoir bench cluster --part scaling --rounds 3"})
final class ClusterBenchCommand extends MeasuringCommand {
    private static final Parts<ClusterPlan> PARTS = new Parts<>(List.of(new Part<>("scaling", Scaling::run), new Part<>("distance", Distance::run),
            new Part<>("failure", Failures::run)));

    @Option(names = "--part", paramLabel = "NAME", split = ",", description = "What to measure: scaling, distance, failure. Default: all.")
    private List<String> names;

    @Option(names = "--rounds", paramLabel = "N", description = "How often everything is measured. Default: " + ClusterPlan.ROUNDS + ".")
    private Integer rounds;

    @Option(names = "--seconds", paramLabel = "S", description = "How long one run of scaling or distance counts. Default: " + ClusterPlan.SECONDS + ".")
    private Double seconds;

    @Option(names = "--streams", paramLabel = "N", description = "Of scaling, at once, for each back end. Default: ${DEFAULT-VALUE}.", defaultValue = "" + ClusterPlan.STREAMS)
    private int streams;

    @Option(names = "--quick", description = "One round, runs of two seconds: to see that it works.", showDefaultValue = Visibility.NEVER)
    private boolean quick;

    @Override
    int measure(BenchOutput output) {
        ClusterPlan defaults = quick ? ClusterPlan.QUICK : new ClusterPlan(ClusterPlan.ROUNDS, ClusterPlan.SECONDS, streams);
        ClusterPlan plan = new ClusterPlan(rounds == null ? defaults.rounds() : rounds, seconds == null ? defaults.seconds() : seconds, streams);
        return output.print(measure(PARTS, names, plan, plan::check, output));
    }
}
