package org.tamanoir.benchmarks.wasm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.tamanoir.service.RunHandler;
import org.tamanoir.wasm.WasmEngine;
import org.tamanoir.wasm.module.WasmLimits;
import org.tamanoir.wasm.stream.ModuleService;

/** An engine with a directory of its own. */
final class Workshop implements AutoCloseable {
    private final Path directory;
    private WasmEngine engine;

    Workshop() throws IOException {
        directory = Files.createTempDirectory("tamanoir-bench-wasm");
        engine = new WasmEngine(directory);
    }

    /** The engine of a node that has just been started, with the compiled modules of the one before. */
    void restart() throws IOException {
        engine.close();
        engine = new WasmEngine(directory);
    }

    WasmEngine engine() {
        return engine;
    }

    ModuleService started(byte[] module) throws Exception {
        ModuleService service = engine.service(module, WasmLimits.PRESET, octets -> true);
        service.start(Bare.SERVICE);
        return service;
    }

    /** A stream that has had its first run. */
    static RunHandler opened(ModuleService service, Bare.Packets packets) throws Exception {
        RunHandler handler = (RunHandler) service.open(Bare.STREAM);
        handler.onRun(packets, Bare.OUTPUT);
        return handler;
    }

    @Override
    public void close() throws IOException {
        engine.close();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
