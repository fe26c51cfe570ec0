package org.tamanoir.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.tamanoir.benchmarks.attack.Attack;
import org.tamanoir.benchmarks.attack.AttackBench;
import org.tamanoir.benchmarks.memory.MemoryBench;
import org.tamanoir.benchmarks.process.Build;
import org.tamanoir.benchmarks.report.Report;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tamanoir bench memory}. */
@Command(name = "memory", mixinStandardHelpOptions = true,
        description = {"Measures a node's memory when a receiver never reads and with 1,000 idle streams, the time of its start, and its memory under attack, "
            + "with what a stream of somebody else notices.",
            "On loopback; the attack slow-link has network namespaces and needs root. All attacks take 7 minutes for each build."},
        footer = {"", "Examples:", "  tamanoir bench memory --rounds 1 --attack none",
            "  tamanoir bench memory --rounds 0 --starts 0 --against ../tamanoir-before"})
final class MemoryCommand extends MeasuringCommand {
    @Option(names = "--rounds", paramLabel = "N", description = "How often memory is measured; the result is the median. "
            + "Default: ${DEFAULT-VALUE}.", defaultValue = "3")
    private int rounds;

    @Option(names = "--starts", paramLabel = "N", description = "How often the start is measured. Default: ${DEFAULT-VALUE}.",
            defaultValue = "5")
    private int starts;

    @Option(names = "--attack", paramLabel = "NAME", split = ",", description = "What to do to a node: stalled-streams, partial-packets, slow-link, "
            + "heavy-service, idle-streams, stranger, stopped-node, half-open-handshakes, refused-tokens, or none. Default: all.")
    private List<String> attacks;

    @Option(names = "--against", paramLabel = "DIR", description = "Another built checkout, such as the commit before, that is attacked in the same way.")
    private Path against;

    @Option(names = "--quick", description = "Shorter attacks; a node stands still for 15 s and not for 60.")
    private boolean quick;

    @Override
    int measure(BenchOutput output) {
        List<Attack> kinds = kinds();
        if (rounds < 0 || starts < 0 || rounds + starts + kinds.size() == 0) {
            throw refused("nothing to measure: give --rounds, --starts or --attack");
        }
        check(this::builds);
        MemoryBench bench = new MemoryBench(output.progress());
        AttackBench attacked = new AttackBench(kinds, builds(), quick, output.progress());
        Report report = bench.run(rounds, starts);
        Report under = attacked.run();
        return output.print(report.and(under.rows(), under.targets(), under.failures()), out -> {
            bench.print(out);
            attacked.print(out);
        });
    }

    private List<Build> builds() {
        return against == null ? List.of(Build.own()) : List.of(Build.own(), Build.before(against));
    }

    private List<Attack> kinds() {
        if (attacks == null) {
            return List.of(Attack.values());
        }
        List<Attack> kinds = new ArrayList<>();
        for (String name : attacks) {
            if (!name.equals("none")) {
                kinds.add(Arrays.stream(Attack.values()).filter(kind -> kind.toString().equals(name)).findFirst()
                        .orElseThrow(() -> refused("there is no attack " + name)));
            }
        }
        return kinds;
    }
}
