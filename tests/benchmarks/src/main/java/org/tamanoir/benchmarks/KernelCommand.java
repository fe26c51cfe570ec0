package org.tamanoir.benchmarks;

import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.tamanoir.benchmarks.kernel.KernelBench;
import org.tamanoir.benchmarks.kernel.KernelPlan;
import org.tamanoir.benchmarks.kernel.KernelPlan.Part;
import org.tamanoir.benchmarks.kernel.KernelPlan.Placement;
import org.tamanoir.benchmarks.kernel.KernelResults;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tamanoir bench kernel}. */
@Command(name = "kernel", mixinStandardHelpOptions = true,
        description = {"Compares light services in the kernel to the same rules in a node's process and to a plain router, in network namespaces: "
            + "datagrams, streams, ten rules and ten thousand, and how soon a changed rule is in force.",
            "Needs root, and a kernel that runs light services; installs iproute2, nftables, make and gcc where they are missing."},
        footer = {"", "Example:", "  tamanoir bench kernel --part udp,rules --rounds 3"})
final class KernelCommand extends MeasuringCommand {
    @Option(names = "--rounds", paramLabel = "N", description = "How often everything is measured; the result is the median. "
            + "Default: ${DEFAULT-VALUE}.", defaultValue = "7")
    private int rounds;

    @Option(names = "--seconds", paramLabel = "S", description = "How long one measurement counts. Default: ${DEFAULT-VALUE}.",
            defaultValue = "0.5")
    private double seconds;

    @Option(names = "--part", paramLabel = "NAME", split = ",", description = "What to measure: ${COMPLETION-CANDIDATES}. Default: all.")
    private List<Part> parts;

    @Option(names = "--datagram", paramLabel = "OCTETS", split = ",", description = "Lengths of datagrams, 64 to 8972. Default: 64,1400,8000.")
    private List<Integer> datagrams;

    @Option(names = "--packet", paramLabel = "OCTETS", split = ",", description = "Lengths of ANEP packets on TCP, 64 to 65000. "
            + "Default: 1400,8192,60000.")
    private List<Integer> packets;

    @Option(names = "--changes", paramLabel = "N", description = "How often a rule is changed in a round. Default: ${DEFAULT-VALUE}.",
            defaultValue = "" + KernelPlan.CHANGES)
    private int changes;

    @Option(names = "--placement", paramLabel = "WHERE", description = "CPUs of the processes while rates are measured: "
            + "${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.", defaultValue = "one")
    private Placement placement;

    @Option(names = "--plot", paramLabel = "FILE", description = "Draw latency against length of packet on TCP, as SVG. Needs the part tcp.")
    private Path plot;

    @Override
    int measure(BenchOutput output) {
        KernelPlan plan = plan();
        KernelResults results = KernelBench.run(plan, output.progress());
        if (plot != null) {
            results.latencies().write(plot);
        }
        return output.print(results.report(), results::print);
    }

    private KernelPlan plan() {
        Set<Part> chosen = parts == null ? EnumSet.allOf(Part.class) : EnumSet.copyOf(parts);
        // What is not for the plot alone is measured anyway.
        KernelPlan plan = new KernelPlan(chosen, datagrams == null ? KernelPlan.DATAGRAMS : datagrams,
                packets == null ? KernelPlan.FRAMES : packets, plot == null ? List.of() : KernelPlan.LATENCIES, rounds,
                Duration.ofMillis(Math.round(1000 * seconds)), changes, placement);
        check(plan::check);
        if (plot != null && !chosen.contains(Part.TCP)) {
            throw refused("--plot draws round trips on TCP: give --part tcp too");
        }
        return plan;
    }
}
