package org.tamanoir.benchmarks;

import java.util.Objects;
import java.util.stream.Stream;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;

/** {@code tamanoir bench dyram}: each of its parts has its options and does its work in a class of its own. */
@Command(name = "dyram", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Measures reliable multicast.",
        footer = {"", "Examples:", "  tamanoir bench dyram --lab --runs 3", "  tamanoir bench dyram --figures --plot figures", "  tamanoir bench dyram --trace"})
final class DyramCommand extends MeasuringCommand {
    @ArgGroup(exclusive = false, order = 1, heading = "%nIn network namespaces, beside NORM and UFTP:%n")
    private DyramLab lab;

    @ArgGroup(exclusive = false, order = 2, heading = "%nIn a simulator:%n")
    private DyramFigures figures;

    @ArgGroup(exclusive = false, order = 3, heading = "%nIn a simulator, one packet:%n")
    private DyramTrace trace;

    @Override
    int measure(BenchOutput output) {
        if (Stream.of(lab, figures, trace).filter(Objects::nonNull).count() != 1) {
            throw refused("Say one thing: --lab, --figures or --trace");
        }
        if (trace != null) {
            return trace.run(output);
        }
        if (figures != null) {
            return figures.run(this, output);
        }
        return lab.run(this, output);
    }
}
