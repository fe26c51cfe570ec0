package org.tamanoir.benchmarks;

import java.nio.file.Path;
import org.tamanoir.benchmarks.dyram.figures.Figures;
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

    @Option(names = "--plot", paramLabel = "FOLDER", description = "Draw every figure, as SVG and PNG.")
    private Path plot;

    /** @return the exit code */
    int run(MeasuringCommand command, BenchOutput output) {
        if (seeds < 1 || seeds > MOST_SEEDS) {
            throw command.refused("--seeds takes 1 to " + MOST_SEEDS);
        }
        Figures result = Figures.run(seed, seeds, output.progress());
        if (csv != null) {
            result.writeCsv(csv);
        }
        if (plot != null) {
            result.plot(plot);
        }
        return output.print(result.report(), result::printTable);
    }
}
