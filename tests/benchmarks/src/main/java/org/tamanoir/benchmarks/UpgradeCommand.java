package org.tamanoir.benchmarks;

import org.tamanoir.benchmarks.soak.Soak;
import org.tamanoir.benchmarks.upgrade.UpgradeBench;
import org.tamanoir.benchmarks.upgrade.UpgradePlan;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tamanoir bench upgrade}. */
@Command(name = "upgrade", mixinStandardHelpOptions = true,
        description = {"Sends streams through two nodes whose service is upgraded every second, while a repository is killed and restarted "
            + "and a neighbour dies, and says what became of every packet.",
            "On loopback; needs no root. Takes somewhat more than twice the seconds. Ends with 1 if a target is missed."},
        footer = {"", "Example:", "  tamanoir bench upgrade --streams 16 --seconds 60"})
final class UpgradeCommand extends MeasuringCommand {
    @Option(names = "--streams", paramLabel = "N", description = "TCP streams at any time; a quarter of them lives through everything, the "
            + "others for up to 3 s. Default: ${DEFAULT-VALUE}.", defaultValue = "16")
    private int streams;

    @Option(names = "--udp", paramLabel = "N", description = "UDP streams at any time. Default: ${DEFAULT-VALUE}.", defaultValue = "4")
    private int udp;

    @Option(names = "--seconds", paramLabel = "S", description = "Seconds with an upgrade in each; as many without lie between them. "
            + "Default: ${DEFAULT-VALUE}.", defaultValue = "60")
    private int seconds;

    @Option(names = "--rate", paramLabel = "N", description = "Packets a second of each stream. Default: ${DEFAULT-VALUE}.",
            defaultValue = "100")
    private int rate;

    @Option(names = "--packet", paramLabel = "OCTETS", description = "Length of a packet, header included. Default: ${DEFAULT-VALUE}.",
            defaultValue = "1000")
    private int packet;

    @Override
    int measure(BenchOutput output) {
        UpgradePlan plan = new UpgradePlan(new Soak.Load(streams, udp, packet, rate), seconds);
        check(plan::check);
        UpgradeBench bench = new UpgradeBench(plan, output.progress());
        return output.print(bench.run(), bench::print);
    }
}
