package org.tamanoir.wasm.image;

import java.util.List;
import org.tamanoir.wasm.engine.CallWatch;
import org.tamanoir.wasm.engine.HostFunction;
import org.tamanoir.wasm.engine.MemoryBudget;
import org.tamanoir.wasm.engine.WasmInstance;
import org.tamanoir.wasm.module.WasmLimits;
import org.tamanoir.wasm.module.WasmModule;

/** Instances of modules for tests, compiled in this process. */
public final class Modules {
    private static final CallWatch WATCH = new CallWatch();

    private Modules() {
    }

    public static Image image(byte[] module) {
        WasmModule.read(module);
        return new Image(ImageFile.read(CompilerMain.image(module)));
    }

    public static WasmInstance start(byte[] module, HostFunction... functions) {
        return start(module, WasmLimits.PRESET, functions);
    }

    public static WasmInstance start(byte[] module, WasmLimits limits, HostFunction... functions) {
        return start(image(module), limits, List.of(functions));
    }

    public static WasmInstance start(Image image, WasmLimits limits, List<HostFunction> functions) {
        return WasmInstance.start(image.template(), functions, limits, WATCH, MemoryBudget.of(1L << 30));
    }
}
