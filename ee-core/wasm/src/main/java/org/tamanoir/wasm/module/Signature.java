package org.tamanoir.wasm.module;

/**
 * The type of a function: a letter for each value, {@code i} and {@code I} for integers of 32 and 64 bits, {@code f} and {@code F} for floating
 * point numbers, {@code r} for a reference.
 *
 * @param parameters such as {@code iiI}
 * @param results    such as {@code i}; empty for none
 */
public record Signature(String parameters, String results) {
    /** Of the form {@code ii:i}. */
    public static Signature of(String text) {
        int colon = text.indexOf(':');
        return new Signature(text.substring(0, colon), text.substring(colon + 1));
    }

    /** {@code ii:i}. */
    @Override
    public String toString() {
        return parameters + ":" + results;
    }
}
