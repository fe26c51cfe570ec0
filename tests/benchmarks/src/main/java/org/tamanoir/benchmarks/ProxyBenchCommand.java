package org.tamanoir.benchmarks;

import org.tamanoir.benchmarks.proxy.ProxyBench;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tamanoir bench proxy}. */
@Command(name = "proxy", mixinStandardHelpOptions = true,
        description = {"Measures what SOCKS 5 and HTTP CONNECT add to the set-up of a stream through a gateway and two nodes with monitoring.",
            "On loopback; needs no root. Ends with 1 if the target is missed."},
        footer = {"", "Example:", "  tamanoir bench proxy --rounds 9 --streams 1000"})
final class ProxyBenchCommand extends MeasuringCommand {
    @Option(names = "--rounds", paramLabel = "N", description = "The result is the median. Default: ${DEFAULT-VALUE}.", defaultValue = "7")
    private int rounds;

    @Option(names = "--streams", paramLabel = "N", description = "Of each way in a round. Default: ${DEFAULT-VALUE}.", defaultValue = "500")
    private int streams;

    @Override
    int measure(BenchOutput output) {
        check(() -> {
            if (rounds < 1 || streams < 1) {
                throw new IllegalArgumentException("the bench takes at least one round, and one stream");
            }
        });
        ProxyBench bench = new ProxyBench(rounds, streams, output.progress());
        return output.print(bench.run(), bench::print);
    }
}
