package org.tamanoir.benchmarks;

import org.tamanoir.cli.Tamanoir;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code tamanoir bench NAME}. */
@Command(name = "bench", mixinStandardHelpOptions = true, description = "Measures this installation beside its peers.",
        subcommands = {RelayCommand.class, CompressionCommand.class, StreamsCommand.class, ProxyBenchCommand.class, ConsoleBenchCommand.class, KernelCommand.class, MemoryCommand.class, UpgradeCommand.class, SurviveCommand.class, CopyBenchCommand.class, CacheBenchCommand.class, ObservatoryBenchCommand.class, DeployCommand.class, DyramCommand.class, QosBenchCommand.class,
            ClusterBenchCommand.class, PaperCommand.class, ScaleCommand.class, CodecCommand.class, CoalesceCommand.class, ContentBenchCommand.class, FleetBenchCommand.class, PathsBenchCommand.class, WasmBenchCommand.class},
        footer = {"", "Ends with 1 if a target is missed or a run gave no figure.", "", "Example:", "  tamanoir bench relay --quick"})
public final class BenchCommand implements Tamanoir.AddedCommand, Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
