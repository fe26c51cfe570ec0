package org.tamanoir.wasm.image;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.wasm.engine.Template;
import run.endive.runtime.Instance;
import run.endive.runtime.Machine;
import run.endive.wasm.WasmEngineException;

/** A module that is ready to be started: its classes are loaded. Any thread. */
public final class Image {
    /** The entry with the module without its instructions; every other one is a class. */
    static final String MODULE = "module.wasm";

    /** The entry with the memory with which instances begin, if there is one. */
    static final String MEMORY = "memory";

    private final Template template;

    /** @throws AnepException EE-658 if the JVM refuses the classes */
    Image(Map<String, byte[]> entries) {
        Map<String, byte[]> classes = new LinkedHashMap<>(entries);
        byte[] module = classes.remove(MODULE);
        byte[] memory = classes.remove(MEMORY);
        try {
            this.template = new Template(module, factory(classes), memory, null);
        } catch (WasmEngineException e) {
            throw new AnepException(ErrorCode.NO_MODULE, "this is no WebAssembly module: " + e.getMessage(), e);
        }
    }

    private static Function<Instance, Machine> factory(Map<String, byte[]> classes) {
        try {
            Class<?> main = Class.forName(ClassFilter.PREFIX, true, new ImageLoader(classes));
            MethodHandle constructor = MethodHandles.publicLookup().findConstructor(main, MethodType.methodType(void.class, Instance.class))
                    .asType(MethodType.methodType(Machine.class, Instance.class));
            return instance -> machine(constructor, instance);
        } catch (ReflectiveOperationException | LinkageError e) {
            throw new AnepException(ErrorCode.NOT_COMPILED, "the compiled module cannot be loaded: " + e, e);
        }
    }

    private static Machine machine(MethodHandle constructor, Instance instance) {
        try {
            return (Machine) constructor.invokeExact(instance);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** What instances are made from. */
    public Template template() {
        return template;
    }
}
