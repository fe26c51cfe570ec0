package org.tamanoir.benchmarks;

import org.tamanoir.benchmarks.cache.CacheBench;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Option;

/** {@code tamanoir bench cache}. */
@Command(name = "cache", mixinStandardHelpOptions = true,
        description = {"Measures the service cache: hits beside nginx with proxy_cache and Varnish in the same place, what many programs that want one file at once cost its origin, "
            + "and what programs are given when the node is killed while it fetches.",
            "On loopback. Installs nginx-light and varnish where they are missing, as root. Ends with 1 if a target is missed."},
        footer = {"", "Examples:", "  tamanoir bench cache", "  tamanoir bench cache --quick --kills 1000"})
final class CacheBenchCommand extends MeasuringCommand {
    @Option(names = "--rounds", paramLabel = "N", description = "How often hits are measured; the result is the median. Default: 5, with --quick 2.")
    private Integer rounds;

    @Option(names = "--seconds", paramLabel = "S", description = "How long one measurement of hits counts. Default: 4, with --quick 2.")
    private Integer seconds;

    @Option(names = "--programs", paramLabel = "N", description = "That want one file at once. Default: 100, with --quick 20.")
    private Integer programs;

    @Option(names = "--file-mb", paramLabel = "N", description = "MB of that file. Default: 1000, with --quick 100.")
    private Integer megabytes;

    @Option(names = "--kills", paramLabel = "N", description = "Of the node while it fetches two files. Default: 20, with --quick 3.")
    private Integer kills;

    @Option(names = "--quick", description = "Short runs.", showDefaultValue = Visibility.NEVER)
    private boolean quick;

    @Override
    int measure(BenchOutput output) {
        check(() -> plan().check());
        CacheBench bench = new CacheBench(plan(), output.progress());
        return output.print(bench.run(), bench::print);
    }

    private CacheBench.Plan plan() {
        return new CacheBench.Plan(value(rounds, 5, 2), value(seconds, 4, 2), value(programs, 100, 20), value(megabytes, 1000, 100), value(kills, 20, 3));
    }

    private int value(Integer given, int whole, int forQuick) {
        return given != null ? given : quick ? forQuick : whole;
    }
}
