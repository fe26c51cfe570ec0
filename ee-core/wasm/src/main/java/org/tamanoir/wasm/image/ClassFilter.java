package org.tamanoir.wasm.image;

import java.util.Set;

/** Which classes a compiled module may name. What is not here cannot be loaded by it either. */
final class ClassFilter {
    /** In front of the name of every class of an image. */
    static final String PREFIX = "tamanoir.module.Machine";
    static final String INTERNAL_PREFIX = PREFIX.replace('.', '/');

    private static final Set<String> ALLOWED = Set.of(
            "java/lang/Object", "java/lang/String", "java/lang/Math", "java/lang/StrictMath", "java/lang/Integer", "java/lang/Long", "java/lang/Float",
            "java/lang/Double", "java/lang/Short", "java/lang/Byte", "java/lang/Boolean", "java/lang/StackOverflowError", "java/lang/RuntimeException",
            "java/lang/Throwable",
            "run/endive/runtime/Instance", "run/endive/runtime/Machine", "run/endive/runtime/Memory", "run/endive/runtime/TableInstance",
            "run/endive/runtime/GlobalInstance", "run/endive/runtime/CallResult", "run/endive/runtime/OpcodeImpl", "run/endive/runtime/ImportValues",
            "run/endive/runtime/ImportFunction", "run/endive/runtime/WasmFunctionHandle", "run/endive/runtime/TrapException",
            "run/endive/runtime/WasmRuntimeException", "run/endive/runtime/MemCopyWorkaround",
            "run/endive/wasm/WasmEngineException", "run/endive/wasm/InvalidException", "run/endive/wasm/WasmModule",
            "run/endive/wasm/types/TypeSection", "run/endive/wasm/types/ValType", "run/endive/wasm/types/Element", "run/endive/wasm/types/Value",
            "org/tamanoir/wasm/engine/Guard");

    private ClassFilter() {
    }

    /** @param internalName with slashes; of a class, or of an array */
    static boolean allows(String internalName) {
        String name = internalName;
        if (name.startsWith("[")) {
            int of = name.lastIndexOf('[') + 1;
            if (name.charAt(of) != 'L') {
                return true;
            }
            name = name.substring(of + 1, name.length() - 1);
        }
        return name.startsWith(INTERNAL_PREFIX) || ALLOWED.contains(name);
    }
}
