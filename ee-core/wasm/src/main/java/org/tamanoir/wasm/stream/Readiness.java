package org.tamanoir.wasm.stream;

import java.nio.ByteBuffer;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Crc32c;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.wasm.wasi.WasiShim;

/**
 * Has every class initialised that a module can reach, while there is stack. A module that uses its stack up and then calls the node for the first
 * time would otherwise have the initialisation fail, and a class for which that happens is lost to the whole process for good.
 */
public final class Readiness {
    private static final List<String> OF_THE_LIBRARY = List.of("run.endive.runtime.OpcodeImpl", "run.endive.runtime.MemCopyWorkaround", "run.endive.runtime.TrapException",
            "run.endive.runtime.WasmRuntimeException", "run.endive.runtime.CallResult", "run.endive.wasm.WasmEngineException", "run.endive.wasm.InvalidException",
            "run.endive.wasm.UninstantiableException", "run.endive.wasm.types.Value", "run.endive.wasm.types.ValType", "org.tamanoir.wasm.engine.Guard$Stopped",
            "org.tamanoir.service.brake.Brakes");

    static {
        byte[] text = new byte[64];
        for (int codec = 0; codec < 2; codec++) {
            Codecs.decompress(codec, ByteBuffer.wrap(text), ByteBuffer.allocate(256));
            Codecs.compress(codec, ByteBuffer.wrap(text), ByteBuffer.allocate(1));
            Codecs.compress(codec, ByteBuffer.wrap(text), ByteBuffer.allocate(256));
        }
        Crc32c.append(1, ByteBuffer.wrap(text));
        WasiShim.prepare();
        new ModuleCounters().id("ready");
        new AnepException(ErrorCode.MODULE_FORBIDDEN, "ready").code();
        try {
            for (String name : OF_THE_LIBRARY) {
                Class.forName(name, true, Readiness.class.getClassLoader());
            }
        } catch (ClassNotFoundException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private Readiness() {
    }

    /** Once for a process; costs nothing later. */
    public static void ensure() {
        // Whoever calls this has had the class initialised.
    }
}
