package org.tamanoir.benchmarks;

import java.nio.file.Path;
import java.util.List;
import org.tamanoir.benchmarks.parts.Findings;
import org.tamanoir.benchmarks.parts.Rounds;
import org.tamanoir.benchmarks.wasm.WasmParts;
import org.tamanoir.benchmarks.wasm.WasmPlan;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tamanoir bench wasm}. */
@Command(name = "wasm", mixinStandardHelpOptions = true,
        description = {"Measures modules in WebAssembly: by themselves, and in a node.",
            "start: how long a module takes to be ready, and what 500 instances hold.",
            "stop: how long a call that never ends lasts.",
            "throughput: octets that one processor shows to a module.",
            "hostile: what an innocent stream suffers beside modules that mean harm.",
            "node: streams through a module beside streams through monitoring, and beside hostile streams, in a node.",
            "Ends with 1 if a target is missed."},
        footer = {"", "Example:", "  tamanoir bench wasm --part start,stop --json"})
final class WasmBenchCommand extends MeasuringCommand {
    @Option(names = "--part", paramLabel = "NAME", split = ",", description = "What to measure: start, stop, throughput, hostile, node. Default: all.")
    private List<String> parts;

    @Option(names = "--rounds", paramLabel = "N", description = "How often everything is measured. Default: ${DEFAULT-VALUE}.", defaultValue = "3")
    private int rounds;

    @Option(names = "--seconds", paramLabel = "S", description = "How long one measurement counts. Default: ${DEFAULT-VALUE}.", defaultValue = "2")
    private double seconds;

    @Option(names = "--module", paramLabel = "FILE", description = "A module of the contract tamanoir_1. Default: one that counts packets and octets.")
    private Path module;

    @Option(names = "--hostile", paramLabel = "N", description = "How many modules mean harm, in all rounds together. Default: ${DEFAULT-VALUE}.", defaultValue = "1000")
    private int hostile;

    @Option(names = "--seed", paramLabel = "N", description = "Of what is random. Default: ${DEFAULT-VALUE}.", defaultValue = "1")
    private long seed;

    @Option(names = "--csv", paramLabel = "DIR", description = "Write every number, as comma-separated values.")
    private Path csv;

    @Override
    int measure(BenchOutput output) {
        WasmPlan plan = new WasmPlan(new Rounds(rounds, seconds), module, hostile, seed);
        Findings found = measure(WasmParts.ALL, parts, plan, plan::check, output);
        found.writeCsv(csv);
        return output.print(found);
    }
}
