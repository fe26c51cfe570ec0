package org.tamanoir.benchmarks;

import java.nio.file.Path;
import org.tamanoir.benchmarks.dyram.figures.Figures;
import org.tamanoir.benchmarks.parts.Findings;
import picocli.CommandLine.Option;

/** {@code tamanoir bench dyram --figures}. */
final class DyramFigures {
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

    /** @return the exit code */
    int run(MeasuringCommand command, BenchOutput output) {
        if (seeds < 1 || seeds > MOST_SEEDS) {
            throw command.refused("--seeds takes 1 to " + MOST_SEEDS);
        }
        Findings found = Findings.of(Figures.run(seed, seeds, output.progress()));
        if (csv != null) {
            found.writeCsv(csv);
        }
        if (plot != null) {
            found.plot(plot);
        }
        return output.print(found.report(), found::printTable);
    }
}
