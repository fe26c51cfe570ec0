package org.tamanoir.benchmarks.wasm;

import java.util.List;
import org.tamanoir.benchmarks.parts.Part;
import org.tamanoir.benchmarks.parts.Parts;

/** The parts of {@code bench wasm}. */
public final class WasmParts {
    public static final Parts<WasmPlan> ALL = Parts.onLoopback(List.of(
            new Part<>("start", Starts::run),
            new Part<>("stop", Stops::run),
            new Part<>("throughput", Throughput::run),
            new Part<>("hostile", Beside::run),
            new Part<>("node", InANode::run)));

    private WasmParts() {
    }
}
