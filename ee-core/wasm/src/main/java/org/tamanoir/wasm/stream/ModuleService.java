package org.tamanoir.wasm.stream;

import org.tamanoir.service.ActiveService;

/** A service whose code is a module. Its handlers are made by the event loop and run on the service's own threads, so no code of the module runs in {@code open}. */
public interface ModuleService extends ActiveService {
    /**
     * Sees to it that the module is compiled, which takes as long as a compiler may; {@code start} then takes milliseconds.
     *
     * @throws org.tamanoir.anep.AnepException EE-650 or EE-658 if it cannot be
     */
    void prepare();

    /** Octets of memory that all its instances hold. */
    long memoryBytes();
}
