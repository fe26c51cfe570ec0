package org.tamanoir.benchmarks;

import java.nio.file.Path;
import java.util.List;
import org.tamanoir.benchmarks.paper.Paper;
import org.tamanoir.benchmarks.paper.PaperPage;
import org.tamanoir.benchmarks.parts.Findings;
import org.tamanoir.benchmarks.parts.Rounds;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tamanoir bench paper}. */
@Command(name = "paper", mixinStandardHelpOptions = true,
        description = {"Measures figures 8 to 13 and table 1 of \"Designing and Evaluating An Active Grid Architecture\" (2003) again, each beside what the paper has.",
            "fig8: latency in the kernel and in the JVM. fig9: one node with monitoring. fig10: a cluster. fig11: a cluster far away. fig12, fig13: DyRAM, simulated. "
                + "table1: classes of service.",
            "Needs root; installs what the figures need where it is missing. All of it takes a quarter of an hour."},
        footer = {"", "Example:", "  tamanoir bench paper --only fig9,fig11 --out figures"})
final class PaperCommand extends MeasuringCommand {
    @Option(names = "--only", paramLabel = "NAME", split = ",", description = "What to measure: fig8, fig9, fig10, fig11, fig12, fig13, table1. Default: all.")
    private List<String> names;

    @Option(names = "--rounds", paramLabel = "N", description = "How often everything is measured; the result is the median (of simulations the mean). Default: ${DEFAULT-VALUE}.",
            defaultValue = "" + Rounds.COUNT)
    private int rounds;

    @Option(names = "--seconds", paramLabel = "S", description = "How long one measurement counts. Default: ${DEFAULT-VALUE}.", defaultValue = "" + Rounds.SECONDS)
    private double seconds;

    @Option(names = "--out", paramLabel = "DIR", description = "Write every figure as SVG and as comma-separated values.")
    private Path out;

    @Option(names = "--page", paramLabel = "FILE", description = "Renew the part of a page in Markdown that stands between the marks " + PaperPage.BEGIN + " and " + PaperPage.END
            + ", with the figures of --out; those that are not measured stay.")
    private Path page;

    @Override
    int measure(BenchOutput output) {
        Rounds plan = new Rounds(rounds, seconds);
        if (page != null && out == null) {
            throw refused("--page shows the figures from their files: give --out");
        }
        PaperPage renewed = page == null ? null : new PaperPage(page);
        Findings found = measure(Paper.PARTS, names, plan, plan::check, output);
        found.writeCsv(out);
        found.plot(out);
        if (renewed != null) {
            renewed.write(found, out);
        }
        return output.print(found);
    }
}
