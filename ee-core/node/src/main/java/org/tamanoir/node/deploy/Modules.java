package org.tamanoir.node.deploy;

import java.io.IOException;
import java.nio.file.Path;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.service.ServicePolicy;
import org.tamanoir.service.ActiveService;
import org.tamanoir.wasm.WasmEngine;
import org.tamanoir.wasm.module.WasmModule;
import org.tamanoir.wasm.stream.ModuleService;

/** The modules that bundles carry, as services: the entry {@code module.wasm} of a bundle whose capability says {@code runtime="wasm"}. */
final class Modules implements AutoCloseable {
    private final WasmEngine engine;

    /** @param directory for compiled modules */
    Modules(Path directory) {
        try {
            this.engine = new WasmEngine(directory);
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "compiled modules cannot be kept in " + directory + ": " + AnepException.reason(e), e);
        }
    }

    /**
     * The service of a bundle's module, compiled, which may take as long as a compiler may.
     *
     * @return null if the bundle carries no module
     * @throws AnepException EE-650 to EE-652 or EE-658 if it is none that can be run
     */
    ActiveService of(Path jar, ServicePolicy policy) {
        byte[] module;
        try {
            module = WasmModule.inBundle(jar, policy.wasm().moduleOctets());
        } catch (IOException e) {
            throw new AnepException(ErrorCode.BAD_BUNDLE, "its module cannot be read: " + AnepException.reason(e), e);
        }
        if (module == null) {
            return null;
        }
        ModuleService service = engine.service(module, policy.wasm(), octets -> octets <= policy.heapBytes());
        service.prepare();
        return service;
    }

    /** @throws AnepException EE-304 for null */
    static ActiveService present(ActiveService module) {
        if (module == null) {
            throw new AnepException(ErrorCode.BAD_BUNDLE, "it says that it is a module in WebAssembly, and has no entry " + WasmModule.ENTRY);
        }
        return module;
    }

    @Override
    public void close() {
        engine.close();
    }
}
