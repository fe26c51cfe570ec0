package org.tamanoir.benchmarks;

import java.util.Map;
import org.tamanoir.dyram.sim.Figure15;
import org.tamanoir.dyram.sim.Trace;
import picocli.CommandLine.Option;

/** {@code tamanoir bench dyram --trace}. */
final class DyramTrace {
    @Option(names = "--trace", required = true, description = "Print what is said about packet 28 of figure 15: lost by one host of a site, repaired by "
            + "the other.")
    private boolean trace;

    /** @return the exit code */
    int run(BenchOutput output) {
        Trace said = Figure15.trace(1);
        return output.print(Map.of("packet", Figure15.PACKET, "rows", said.rows()), said.text());
    }
}
