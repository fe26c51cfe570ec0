package org.tamanoir.benchmarks;

import java.util.List;
import org.tamanoir.benchmarks.dyram.lab.FileSize;
import org.tamanoir.benchmarks.dyram.lab.LabComparison;
import org.tamanoir.benchmarks.dyram.lab.LabPlan;
import org.tamanoir.benchmarks.dyram.lab.LossCase;
import org.tamanoir.benchmarks.dyram.lab.SystemKind;
import org.tamanoir.benchmarks.dyram.lab.WireRate;
import picocli.CommandLine.Option;

/** {@code tamanoir bench dyram --lab}. */
final class DyramLab {
    @Option(names = "--lab", required = true, description = "Send a file to receivers at several sites, with loss. Needs root; installs "
            + "iproute2, nftables, ethtool, gcc, make, smcroute, libnorm1 and uftp where they are missing.")
    private boolean lab;

    @Option(names = "--runs", paramLabel = "N", description = "How often everything is measured with cold processes, and again with warm ones; "
            + "the result is the median. Default: 3.")
    private int runs = 3;

    @Option(names = "--warm-ups", paramLabel = "N", description = "Transmissions of every system in every case before the warm ones are "
            + "measured. Default: 6.")
    private int warmUps = 6;

    @Option(names = "--size", paramLabel = "OCTETS", converter = FileSize.class, description = "Size of the file, 1kB to 1GB. Default: 20MB.")
    private FileSize size = new FileSize(20_000_000);

    @Option(names = "--rate", paramLabel = "RATE", converter = WireRate.class, description = "What the sender may put on its link, headers "
            + "of IP included, 1mbit to 300mbit. Default: 50mbit.")
    private WireRate rate = new WireRate(50_000_000);

    @Option(names = "--systems", paramLabel = "NAME", split = ",", description = "What to compare: ${COMPLETION-CANDIDATES}. Default: all, but of more than twelve "
            + "receivers without tamanoir, which has a JVM for each.")
    private List<SystemKind> systems;

    @Option(names = "--cases", paramLabel = "CASE", split = ",", converter = LossCase.class, description = "Loss: none, indN for N %% on the "
            + "link of each receiver, siteN for N %% at the entry of each site; N up to 50. Default: none,ind1,ind5,ind25,site5,site25.")
    private List<LossCase> cases = LossCase.DEFAULTS;

    @Option(names = "--sites", paramLabel = "N", description = "Sites, 1 to 12. Default: 3.")
    private int sites = 3;

    @Option(names = "--receivers", paramLabel = "N", description = "Receivers at each site, 1 to 8. Default: 4.")
    private int receivers = 4;

    @Option(names = "--limit", paramLabel = "S", description = "Seconds after which a run counts as not complete. Default: 60.")
    private int limit = 60;

    private List<SystemKind> chosen() {
        return systems != null ? systems : sites * receivers > LabPlan.MOST_PROCESSES ? SystemKind.LARGE : SystemKind.DEFAULTS;
    }

    /** @return the exit code */
    int run(MeasuringCommand command, BenchOutput output) {
        LabPlan plan = new LabPlan(chosen().stream().distinct().toList(), cases.stream().distinct().toList(), runs, warmUps, size.octets(),
                rate.bitsPerSecond(), sites, receivers, limit);
        command.check(plan::check);
        LabComparison comparison = LabComparison.run(plan, output.progress());
        return output.print(comparison.report(), comparison::printTable);
    }
}
