package org.tamanoir.wasm.stream;

import java.util.List;
import org.tamanoir.wasm.engine.HostFunction;
import org.tamanoir.wasm.engine.MemoryBudget;
import org.tamanoir.wasm.engine.WasmInstance;
import org.tamanoir.wasm.module.Abi;
import org.tamanoir.wasm.module.Import;

/** Where instances of a module come from. Any thread. */
public interface ModuleSource extends AutoCloseable {
    Abi abi();

    /** What it wants of the node. */
    List<Import> imports();

    /** Sees to it that the module is compiled and loaded. @throws org.tamanoir.anep.AnepException EE-650 or EE-658 */
    void prepare();

    /**
     * Makes an instance, and lets it initialise itself.
     *
     * @throws org.tamanoir.anep.AnepException EE-653, EE-654 or EE-655 if it does not start
     */
    WasmInstance start(List<HostFunction> functions, MemoryBudget memory);

    /** No more instances are made. */
    @Override
    void close();
}
