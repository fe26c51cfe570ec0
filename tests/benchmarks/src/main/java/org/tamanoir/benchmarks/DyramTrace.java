package org.tamanoir.benchmarks;

import java.io.PrintWriter;
import java.util.Map;
import org.tamanoir.cli.Exit;
import org.tamanoir.cli.Json;
import org.tamanoir.dyram.sim.Figure15;
import org.tamanoir.dyram.sim.Trace;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** {@code tamanoir bench dyram --trace}. */
final class DyramTrace {
    @Option(names = "--trace", required = true, description = "Print what is said about packet 28 of figure 15: lost by one host of a site, repaired by "
            + "the other.")
    private boolean trace;

    /** @return the exit code */
    int run(CommandSpec spec, boolean json) {
        Trace said = Figure15.trace(1);
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            Json.print(out, Map.of("packet", Figure15.PACKET, "rows", said.rows()));
        } else {
            out.print(said.text());
        }
        out.flush();
        return Exit.DONE;
    }
}
