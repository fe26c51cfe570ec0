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

/** Makes classes of a module. A hostile one takes all the memory and time that there is, so this runs in a process of its own. */
final class Compilation {
    private Compilation() {
    }

    /**
     * Validates a module and compiles it.
     *
     * @return classes by their names with slashes
     * @throws AnepException EE-650 if the module is not valid, EE-658 if it cannot be compiled
     */
    static Map<String, byte[]> compile(byte[] module) {
        try {
            Map<String, byte[]> made = Compiler.builder(Parser.parse(module)).withClassName(ClassFilter.PREFIX).withInterpreterFallback(InterpreterFallback.FAIL)
                    .withClassCollectorFactory(ByteClassCollector::new).build().compile().classBytes();
            Map<String, byte[]> classes = new LinkedHashMap<>();
            made.forEach((name, file) -> classes.put(name.replace('.', '/'), file));
            return ClassWeaver.weave(classes);
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
    static void verify(Map<String, byte[]> classes) {
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
