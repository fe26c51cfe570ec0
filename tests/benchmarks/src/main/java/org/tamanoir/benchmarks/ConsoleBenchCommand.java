package org.tamanoir.benchmarks;

import org.tamanoir.benchmarks.console.ConsoleBench;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tamanoir bench console}. */
@Command(name = "console", mixinStandardHelpOptions = true,
        description = {"Measures the console's page in Chromium: its size, first paint, frames with 1000 nodes and 300 transfers, from an event to the screen, its memory; and what a node pays for a page that watches it.",
            "On loopback. As root it installs chromium and chromium-driver where they are missing. Ends with 1 if a target is missed."},
        footer = {"", "Example:", "  tamanoir bench console --minutes 60"})
final class ConsoleBenchCommand extends MeasuringCommand {
    @Option(names = "--rounds", paramLabel = "N", description = "The result is the median. Default: ${DEFAULT-VALUE}.", defaultValue = "5")
    private int rounds;

    @Option(names = "--events", paramLabel = "N", description = "Followed to the screen. Default: ${DEFAULT-VALUE}.", defaultValue = "60")
    private int events;

    @Option(names = "--minutes", paramLabel = "N", description = "For which the memory of the page is watched. Default: ${DEFAULT-VALUE}.", defaultValue = "3")
    private int minutes;

    @Override
    int measure(BenchOutput output) {
        check(() -> {
            if (rounds < 1 || events < 10 || minutes < 0) {
                throw new IllegalArgumentException("the bench takes at least one round, ten events and no minute");
            }
        });
        ConsoleBench bench = new ConsoleBench(rounds, events, minutes, output.progress());
        return output.print(bench.run(), bench::print);
    }
}
