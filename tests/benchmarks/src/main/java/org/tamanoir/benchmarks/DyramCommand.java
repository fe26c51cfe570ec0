package org.tamanoir.benchmarks;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.tamanoir.benchmarks.dyram.figures.Figures;
import org.tamanoir.benchmarks.dyram.lab.LabBench;
import org.tamanoir.benchmarks.dyram.lab.LabPlan;
import org.tamanoir.benchmarks.dyram.lab.LabPlan.Kind;
import org.tamanoir.benchmarks.dyram.lab.LabPlan.Loss;
import org.tamanoir.benchmarks.dyram.lab.WireRate;
import org.tamanoir.benchmarks.parts.Findings;
import org.tamanoir.dyram.sim.Figure15;
import org.tamanoir.dyram.sim.Trace;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code tamanoir bench dyram}: each of its three parts has options of its own. */
@Command(name = "dyram", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Measures reliable multicast.",
        footer = {"", "Examples:", "  tamanoir bench dyram --lab --runs 3", "  tamanoir bench dyram --figures --plot figures", "  tamanoir bench dyram --trace"})
final class DyramCommand extends MeasuringCommand {
    @ArgGroup(exclusive = false, order = 1, heading = "%nIn network namespaces, beside NORM and UFTP:%n")
    private Lab lab;

    @ArgGroup(exclusive = false, order = 2, heading = "%nIn a simulator:%n")
    private Simulated simulated;

    @ArgGroup(exclusive = false, order = 3, heading = "%nIn a simulator, one packet:%n")
    private Traced traced;

    @Override
    int measure(BenchOutput output) {
        if (Stream.of(lab, simulated, traced).filter(Objects::nonNull).count() != 1) {
            throw refused("Say one thing: --lab, --figures or --trace");
        }
        if (traced != null) {
            return traced.run(output);
        }
        return simulated != null ? simulated.run(this, output) : lab.run(this, output);
    }

    /** The size of a file: {@code 500000}, {@code 100kB}, {@code 20MB}, {@code 1GB}, in powers of ten. */
    private static final class FileSize implements ITypeConverter<Long> {
        private static final Pattern TEXT = Pattern.compile("(\\d{1,10})(kB|MB|GB)?");
        private static final Map<String, Long> UNITS = Map.of("kB", 1_000L, "MB", 1_000_000L, "GB", 1_000_000_000L);

        @Override
        public Long convert(String text) {
            Matcher matcher = TEXT.matcher(text);
            if (!matcher.matches()) {
                throw new TypeConversionException("'" + text + "' is no size: give octets, or a number with kB, MB or GB");
            }
            return Long.parseLong(matcher.group(1)) * UNITS.getOrDefault(matcher.group(2) == null ? "" : matcher.group(2), 1L);
        }
    }

    private static final class Lab {
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
        private long size = 20_000_000;

        @Option(names = "--rate", paramLabel = "RATE", converter = WireRate.class, description = "What the sender may put on its link, headers "
                + "of IP included, 1mbit to 300mbit. Default: 50mbit.")
        private WireRate rate = new WireRate(50_000_000);

        @Option(names = "--systems", paramLabel = "NAME", split = ",", description = "What to compare: ${COMPLETION-CANDIDATES}. Default: all, but of more than twelve "
                + "receivers without tamanoir, which has a JVM for each.")
        private List<Kind> systems;

        @Option(names = "--cases", paramLabel = "CASE", split = ",", converter = Loss.class, description = "Loss: none, indN for N %% on the "
                + "link of each receiver, siteN for N %% at the entry of each site; N up to 50. Default: none,ind1,ind5,ind25,site5,site25.")
        private List<Loss> cases = Loss.DEFAULTS;

        @Option(names = "--sites", paramLabel = "N", description = "Sites, 1 to 12. Default: 3.")
        private int sites = 3;

        @Option(names = "--receivers", paramLabel = "N", description = "Receivers at each site, 1 to 8. Default: 4.")
        private int receivers = 4;

        @Option(names = "--limit", paramLabel = "S", description = "Seconds after which a run counts as not complete. Default: 60.")
        private int limit = 60;

        private List<Kind> chosen() {
            return systems != null ? systems : Stream.of(Kind.values()).filter(kind -> kind != Kind.TAMANOIR || sites * receivers <= LabPlan.MOST_PROCESSES).toList();
        }

        private int run(MeasuringCommand command, BenchOutput output) {
            LabPlan plan = new LabPlan(chosen().stream().distinct().toList(), cases.stream().distinct().toList(), runs, warmUps, size,
                    rate.bitsPerSecond(), sites, receivers, limit);
            command.check(plan::check);
            LabBench.Result result = LabBench.run(plan, output.progress());
            return output.print(result.report(), result.table());
        }
    }

    private static final class Simulated {
        private static final int MOST_SEEDS = 100;

        @Option(names = "--figures", required = true, description = "Simulate the figures 12a, 12b, 13a and 13b of the papers with the "
                + "protocol's own code, "
                + "beside their numbers and a model's.")
        private boolean figures;

        @Option(names = "--seed", paramLabel = "N", description = "The first seed; the same gives the same figures. Default: ${DEFAULT-VALUE}.",
                defaultValue = "1")
        private long seed;

        @Option(names = "--seeds", paramLabel = "N", description = "How many seeds are averaged, 1 to " + MOST_SEEDS + ". Default: "
                + "${DEFAULT-VALUE}.",
                defaultValue = "" + Figures.SEEDS)
        private int seeds;

        @Option(names = "--csv", paramLabel = "FOLDER", description = "Write every number, a file for each figure.")
        private Path csv;

        @Option(names = "--plot", paramLabel = "FOLDER", description = "Draw every figure, as SVG.")
        private Path plot;

        private int run(MeasuringCommand command, BenchOutput output) {
            if (seeds < 1 || seeds > MOST_SEEDS) {
                throw command.refused("--seeds takes 1 to " + MOST_SEEDS);
            }
            Findings found = Findings.of(Figures.run(seed, seeds, output.progress()));
            found.writeCsv(csv);
            found.plot(plot);
            return output.print(found);
        }
    }

    private static final class Traced {
        @Option(names = "--trace", required = true, description = "Print what is said about packet 28 of figure 15: lost by one host of a site, repaired by "
                + "the other.")
        private boolean trace;

        private int run(BenchOutput output) {
            Trace said = Figure15.trace(1);
            return output.print(Map.of("packet", Figure15.PACKET, "rows", said.rows()), said.text());
        }
    }
}
