package org.tamanoir.wasm.engine;

import org.tamanoir.wasm.module.Signature;

/**
 * A function that the node grants to one instance; whatever it needs of the stream it holds itself. It runs deep in the stack of the module,
 * where there may be no room left: it notes what is to be done, and does not do it.
 *
 * @param module    under which it is imported
 * @param name      under which it is imported
 * @param signature of integers; null to take whatever type the module has
 * @param body      what it does
 */
public record HostFunction(String module, String name, Signature signature, Body body) {
    /** What a function does. */
    @FunctionalInterface
    public interface Body {
        /**
         * @param memory    of the instance
         * @param arguments as the module passed them; 32 bits in the lower half of each
         * @return the result, ignored if the function has none
         * @throws org.tamanoir.anep.AnepException which ends the instance
         */
        long apply(LinearMemory memory, long[] arguments);
    }

    /** With a type of the form {@code ii:i}. */
    public static HostFunction of(String module, String name, String signature, Body body) {
        return new HostFunction(module, name, Signature.of(signature), body);
    }
}
