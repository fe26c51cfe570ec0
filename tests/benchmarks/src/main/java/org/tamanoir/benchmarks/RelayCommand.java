package org.tamanoir.benchmarks;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.tamanoir.benchmarks.process.Build;
import org.tamanoir.benchmarks.relay.RelayComparison;
import org.tamanoir.benchmarks.relay.RelayKind;
import org.tamanoir.benchmarks.relay.RelayPlan;
import org.tamanoir.benchmarks.relay.RelayPlan.Placement;
import org.tamanoir.benchmarks.relay.Transport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Option;

/** {@code tamanoir bench relay}. */
@Command(name = "relay", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = {"Compares a node with monitoring to HAProxy, nginx and a plain router, and to lower marks: Netty's example of a proxy, and socat. "
                + "In network namespaces.",
                "Needs root; installs iproute2, nftables, haproxy, nginx-light, libnginx-mod-stream and socat where they are missing; with --udp make and gcc too."},
        footer = {"", "Examples:", "  tamanoir bench relay --udp --rounds 3", "  tamanoir bench relay --tls --rounds 3", "  tamanoir bench relay --packet 8192,60000 --streams 8 --rounds 3", "  tamanoir bench relay --against ../tamanoir-before", "  tamanoir bench relay --system tamanoir --packet 1400 --streams 8 --profile flames"})
final class RelayCommand extends MeasuringCommand {
    @Option(names = "--rounds", paramLabel = "N", description = "How often everything is measured; the result is the median.",
            defaultValue = "5")
    private int rounds;

    @Option(names = "--warm-ups", paramLabel = "N", description = "Rounds before, which do not count: programs of a JVM compile meanwhile.",
            defaultValue = "2")
    private int warmUps;

    @Option(names = "--seconds", paramLabel = "S", description = "How long one measurement counts.", defaultValue = "2")
    private double seconds;

    @Option(names = "--quick", description = "Less: 256, 8192 and 60000 octets, 8 streams, 3 rounds of 1 s; with --udp 3 rounds of 1 s. The targets are then held against these cases alone.",
            showDefaultValue = Visibility.NEVER)
    private boolean quick;

    @Option(names = "--udp", description = "Datagrams in place of streams: 32 under way, one way, round trips.", showDefaultValue = Visibility.NEVER)
    private boolean udp;

    @Option(names = "--tls", description = "Relays in pairs, a host each, with TLS 1.3 between them, both sides certified.", showDefaultValue = Visibility.NEVER)
    private boolean tls;

    @Option(names = "--packet", paramLabel = "OCTETS", split = ",", description = "Packet lengths, header included: 64 to 65535. "
            + "Default: 256,1400,8192,60000; with --udp 64,1400,8000.")
    private List<Integer> packets;

    @Option(names = "--streams", paramLabel = "N", split = ",", description = "Streams at once. Default: 1,8,25.")
    private List<Integer> streams;

    @Option(names = "--system", paramLabel = "NAME", split = ",", description = "What to compare: ${COMPLETION-CANDIDATES}. Default: all.")
    private List<RelayKind> systems;

    @Option(names = "--against", paramLabel = "DIR", description = "Another built checkout, such as the commit before, as one more system \"before\"; "
            + "the peers are then those with buffers of 1 MB.")
    private Path against;

    @Option(names = "--profile", paramLabel = "DIR", description = "After the rounds, flame graphs of the node in each case: where its processor time goes, and what it allocates.")
    private Path profile;

    @Option(names = "--placement", paramLabel = "WHERE", description = "CPUs of the processes while streams are measured: "
            + "${COMPLETION-CANDIDATES}.", defaultValue = "free")
    private Placement placement;

    @Option(names = "--trip-placement", paramLabel = "WHERE", description = "The same for round trips: ${COMPLETION-CANDIDATES}.",
            defaultValue = "one")
    private Placement tripPlacement;

    @Override
    int measure(BenchOutput output) {
        for (String option : List.of("--tls", "--streams", "--placement", "--trip-placement")) {
            if (udp && isGiven(option)) {
                throw refused(option + " is for streams: leave it out with --udp");
            }
        }
        check(() -> plan().check());
        RelayComparison comparison = RelayComparison.run(plan(), output.progress());
        return output.print(comparison.report(), comparison::printTable);
    }

    private RelayPlan plan() {
        Transport transport = udp ? Transport.UDP : tls ? Transport.TLS : Transport.TCP;
        List<RelayKind> compared = RelayKind.compared(transport, against != null);
        return new RelayPlan(transport, systems == null ? compared : systems.stream().distinct().toList(),
                packets != null ? packets : quick && !udp ? RelayPlan.QUICK_PACKETS : transport.packets(),
                streams != null ? streams : udp ? List.of(1) : quick ? RelayPlan.QUICK_STREAMS : RelayPlan.STREAMS,
                warmUps, rounds(), run(), placement, tripPlacement, against == null ? null : Build.before(against), profile);
    }

    private int rounds() {
        return quick && !isGiven("--rounds") ? 3 : rounds;
    }

    private Duration run() {
        return Duration.ofMillis(Math.round(1000 * (quick && !isGiven("--seconds") ? 1 : seconds)));
    }
}
