package org.tamanoir.benchmarks;

import java.util.List;
import org.tamanoir.benchmarks.content.ContentParts;
import org.tamanoir.benchmarks.content.ContentPlan;
import org.tamanoir.benchmarks.parts.Rounds;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Option;

/** {@code tamanoir bench content}. */
@Command(name = "content", mixinStandardHelpOptions = true,
        description = {"Measures the services of content.",
            "election: leases until a group has a new holder when the node beside the holder is killed.",
            "interest: octets on links beside an oracle, events matched a second of a core, events brought by a node beside mosquitto, how soon a subscription is in force, and, with root, what rules throw away below.",
            "collect: packets of a barrier of 1,000 members to the root, and octets on each link for an all-reduce of 1 MiB, beside Open MPI; needs root.",
            "transcode: a film of 1080 lines in three sizes, beside ffmpeg in pipes: pictures a second, and how long one of a camera is under way. Installs bubblewrap and ffmpeg where they are missing.",
            "Ends with 1 if a target is missed."},
        footer = {"", "Example:", "  tamanoir bench content --part election --rounds 10"})
final class ContentBenchCommand extends MeasuringCommand {
    @Option(names = "--part", paramLabel = "NAME", split = ",", description = "What to measure: election, interest, collect, transcode. Default: all.")
    private List<String> parts;

    @Option(names = "--rounds", paramLabel = "N", description = "How often everything is measured. Default: ${DEFAULT-VALUE}.", defaultValue = "5")
    private int rounds;

    @Option(names = "--seconds", paramLabel = "S", description = "How long one measurement counts. Default: ${DEFAULT-VALUE}.", defaultValue = "3")
    private double seconds;

    @Option(names = "--seed", paramLabel = "N", description = "Of what is random. Default: ${DEFAULT-VALUE}.", defaultValue = "1")
    private long seed;

    @Option(names = "--quick", description = "Smaller cases.", showDefaultValue = Visibility.NEVER)
    private boolean quick;

    @Override
    int measure(BenchOutput output) {
        ContentPlan plan = new ContentPlan(new Rounds(rounds, seconds), seed, quick);
        return output.print(measure(ContentParts.ALL, parts, plan, plan.rounds()::check, output));
    }
}
