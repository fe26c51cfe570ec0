package org.tamanoir.benchmarks;

import java.util.ArrayList;
import java.util.List;
import org.tamanoir.benchmarks.copy.CopyLosses;
import org.tamanoir.benchmarks.copy.CopyPlan;
import org.tamanoir.benchmarks.copy.Figure16;
import org.tamanoir.benchmarks.copy.LossPlan;
import org.tamanoir.benchmarks.copy.ManyFiles;
import org.tamanoir.benchmarks.copy.PeerCopies;
import org.tamanoir.benchmarks.copy.Stripes;
import org.tamanoir.benchmarks.dyram.lab.WireRate;
import org.tamanoir.benchmarks.parts.Part;
import org.tamanoir.benchmarks.parts.Parts;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tamanoir bench copy}. */
@Command(name = "copy", mixinStandardHelpOptions = true,
        description = {"Measures copies of files.",
            "peers: one file by 'tamanoir copy', straight and by two nodes, and by other programs, over links of a known delay, rate and loss; and what a single flow "
                + "beside each keeps of its rate. small: many small files beside one as large, over the first of the links. figure16: 1 to 12 streams with windows of 64 KiB "
                + "(DataGRID network services, figure 16). stripes: four movers to three, each with a link of 100 Mbit/s, and one with 10.",
            "These need root, and install the programs that are missing. All of peers takes hours: choose links.",
            "losses, by itself and on loopback: one file by two nodes to a mover; mover, command or a node is killed in the middle of each copy, and the same command goes on.",
            "Ends with 1 if a target is missed."},
        footer = {"", "Example:", "  tamanoir bench copy --part peers --rtt 20 --rate 100mbit --loss 0.1 --systems tamanoir,aria2c,curl"})
final class CopyBenchCommand extends MeasuringCommand {
    private static final Parts<CopyPlan> PARTS = new Parts<>(List.of(new Part<>("peers", PeerCopies::run), new Part<>("small", ManyFiles::run),
            new Part<>("figure16", Figure16::run), new Part<>("stripes", Stripes::run)));
    private static final String LOSSES = "losses";
    private static final Parts<LossPlan> ALONE = Parts.onLoopback(List.of(new Part<>(LOSSES, CopyLosses::run)));

    @Option(names = "--part", paramLabel = "NAME", split = ",", description = "What to measure: peers, small, figure16, stripes, or losses. Default: ${DEFAULT-VALUE}.", defaultValue = "peers")
    private List<String> parts;

    @Option(names = "--rtt", paramLabel = "MS", split = ",", description = "Round trips of the links, in milliseconds. Default: ${DEFAULT-VALUE}.", defaultValue = "20,100")
    private List<Integer> rtts;

    @Option(names = "--rate", paramLabel = "RATE", split = ",", converter = WireRate.class, description = "Rates of the links. Default: ${DEFAULT-VALUE}.",
            defaultValue = "100mbit,350mbit")
    private List<WireRate> rates;

    @Option(names = "--loss", paramLabel = "PERCENT", split = ",", description = "Packets that the links lose, in percent. Default: ${DEFAULT-VALUE}.", defaultValue = "0,0.01,0.1")
    private List<Double> losses;

    @Option(names = "--octets", paramLabel = "N", description = "Of the file. Default: what the link carries in ten seconds.")
    private long octets;

    @Option(names = "--systems", paramLabel = "NAME", split = ",", description = "Of ${DEFAULT-VALUE}. Default: all.",
            defaultValue = "tamanoir,tamanoir-nodes,globus-url-copy,aria2c,xrdcp,rclone,rsync,curl")
    private List<String> systems;

    @Option(names = "--beside", paramLabel = "CONTROL", split = ",", description = "Congestion controls of single flows that each system copies beside; default is the "
            + "kernel's. Default: none.")
    private List<String> beside = List.of();

    @Option(names = "--control", paramLabel = "CONTROL", description = "Congestion control of both ends: cubic, reno, bbr. Default: the kernel's.")
    private String control = CopyPlan.PRESET;

    @Option(names = "--files", paramLabel = "N", description = "Of small, of 100 kB each. Default: ${DEFAULT-VALUE}.", defaultValue = "10000")
    private int files;

    @Option(names = "--rounds", paramLabel = "N", description = "The result is the median. Default: ${DEFAULT-VALUE}.", defaultValue = "3")
    private int rounds;

    @ArgGroup(heading = "%nOf losses:%n", validate = false)
    private final Loss loss = new Loss();

    private static final class Loss {
        @Option(names = "--megabytes", paramLabel = "N", description = "Of the file. Default: ${DEFAULT-VALUE}.", defaultValue = "2000")
        private int megabytes;

        @Option(names = "--kills", paramLabel = "N", description = "Copies for each victim. Default: ${DEFAULT-VALUE}.", defaultValue = "20")
        private int kills;

        @Option(names = "--victims", paramLabel = "NAME", split = ",", description = "mover, command, first, second. Default: all.", defaultValue = "mover,command,first,second")
        private List<String> victims;

        @Option(names = "--seed", paramLabel = "N", description = "Of the moments. Default: ${DEFAULT-VALUE}.", defaultValue = "18")
        private long seed;

        @Option(names = "--extent", paramLabel = "SIZE", description = "As copy has it. Default: its own.")
        private String extent;

        @Option(names = "--pace", paramLabel = "BITS", description = "What copy calls --rate. Default: none.")
        private String pace;

        @Option(names = "--streams", paramLabel = "N", description = "As copy has it. Default: its own.")
        private String streams;

        LossPlan plan() {
            List<String> options = new ArrayList<>();
            add(options, "--extent", extent);
            add(options, "--rate", pace);
            add(options, "--streams", streams);
            return LossPlan.of(megabytes, kills, victims, seed, options);
        }

        private static void add(List<String> options, String name, String value) {
            if (value != null) {
                options.addAll(List.of(name, value));
            }
        }
    }

    @Override
    int measure(BenchOutput output) {
        if (parts.equals(List.of(LOSSES))) {
            LossPlan[] plan = new LossPlan[1];
            check(() -> plan[0] = loss.plan());
            return output.print(measure(ALONE, parts, plan[0], () -> { }, output));
        }
        CopyPlan plan = new CopyPlan(rtts, rates, losses, octets, systems, beside, control, files, rounds);
        return output.print(measure(PARTS, parts, plan, plan::check, output));
    }
}
