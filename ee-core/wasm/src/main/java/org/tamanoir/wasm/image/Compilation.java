package org.tamanoir.wasm.image;

import java.util.LinkedHashMap;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import run.endive.compiler.InterpreterFallback;
import run.endive.compiler.internal.ByteClassCollector;
import run.endive.compiler.internal.Compiler;
import run.endive.wasm.InvalidException;
import run.endive.wasm.MalformedException;
import run.endive.wasm.Parser;
import run.endive.wasm.WasmEngineException;
import run.endive.wasm.WasmModule;

/**
 * A module made into classes. A hostile one takes all the memory and time that there is, so this happens in a process of its own.
 *
 * @param stripped what is left of the module
 * @param classes  by their names with slashes
 */
record Compilation(Stripped stripped, Map<String, byte[]> classes) {
    /** The JVM verifies a class when it is first used, which is most of the time that a module in Go takes to start: most functions never are. */
    private static final int FUNCTIONS_A_CLASS = 4;

    /**
     * Validates a module and compiles it.
     *
     * @throws AnepException EE-650 if the module is not valid, EE-658 if it cannot be compiled
     */
    static Compilation of(byte[] octets) {
        try {
            WasmModule module = Parser.parse(octets);
            Map<String, byte[]> made = Compiler.builder(module).withClassName(ClassFilter.PREFIX).withMaxFunctionsPerClass(FUNCTIONS_A_CLASS).withInterpreterFallback(InterpreterFallback.FAIL)
                    .withClassCollectorFactory(ByteClassCollector::new).build().compile().classBytes();
            Map<String, byte[]> classes = new LinkedHashMap<>();
            made.forEach((name, file) -> classes.put(name.replace('.', '/'), file));
            return new Compilation(Stripped.of(octets, module), ClassWeaver.weave(classes));
        } catch (InvalidException | MalformedException e) {
            throw new AnepException(ErrorCode.NO_MODULE, "this is no WebAssembly module: " + e.getMessage(), e);
        } catch (WasmEngineException e) {
            throw refused(e.getMessage(), e);
        } catch (AnepException e) {
            throw e;
        } catch (RuntimeException | StackOverflowError e) {
            throw refused(e.toString(), e);
        }
    }

    /** Has the JVM look at every instruction, as it would when the module is started. @throws AnepException EE-658 */
    void verify() {
        ImageLoader loader = new ImageLoader(classes);
        for (String name : classes.keySet()) {
            try {
                Class.forName(name.replace('/', '.'), true, loader);
            } catch (ClassNotFoundException | LinkageError e) {
                throw refused(e.toString(), e);
            }
        }
    }

    static AnepException refused(String why, Throwable cause) {
        return new AnepException(ErrorCode.NOT_COMPILED, "the module cannot be compiled: " + why, cause);
    }
}
