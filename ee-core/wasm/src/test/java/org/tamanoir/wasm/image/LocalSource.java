package org.tamanoir.wasm.image;

import java.util.List;
import org.tamanoir.wasm.engine.CallWatch;
import org.tamanoir.wasm.engine.HostFunction;
import org.tamanoir.wasm.engine.MemoryBudget;
import org.tamanoir.wasm.engine.WasmInstance;
import org.tamanoir.wasm.module.Abi;
import org.tamanoir.wasm.module.Import;
import org.tamanoir.wasm.module.WasmLimits;
import org.tamanoir.wasm.module.WasmModule;
import org.tamanoir.wasm.stream.ModuleSource;

/** A module that is compiled in this process, for tests of many. */
public final class LocalSource implements ModuleSource {
    private final WasmModule module;
    private final WasmLimits limits;
    private final CallWatch watch;
    private Image image;

    public LocalSource(byte[] module, WasmLimits limits, CallWatch watch) {
        this.module = WasmModule.read(module, limits);
        this.limits = limits;
        this.watch = watch;
    }

    @Override
    public Abi abi() {
        return module.abi();
    }

    @Override
    public List<Import> imports() {
        return module.imports();
    }

    @Override
    public void prepare() {
        image = new Image(ImageFile.read(CompilerMain.image(module.octets())));
    }

    @Override
    public WasmInstance start(List<HostFunction> functions, MemoryBudget memory) {
        return WasmInstance.start(image.template(), functions, limits, watch, memory);
    }

    @Override
    public void close() {
        image = null;
    }
}
