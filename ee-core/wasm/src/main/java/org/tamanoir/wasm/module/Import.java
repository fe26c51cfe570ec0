package org.tamanoir.wasm.module;

/**
 * A function that a module wants of the node.
 *
 * @param module    such as {@code tamanoir_1}
 * @param name      such as {@code emit}
 * @param signature as the module has it
 */
public record Import(String module, String name, Signature signature) {
    @Override
    public String toString() {
        return module + "." + name + "(" + signature + ")";
    }
}
