package org.tamanoir.wasm.engine;

import java.io.ByteArrayInputStream;
import java.util.function.Function;
import run.endive.runtime.Instance;
import run.endive.runtime.Machine;
import run.endive.wasm.Parser;
import run.endive.wasm.WasmModule;

/**
 * What instances of a module are made from. Any thread.
 *
 * <p>A module that prepares itself at length, as one in Go does, does so once: what its first instance has become is kept, and the others begin
 * there. That is sound for a module that has asked the node for nothing but time and random octets until then; those are then the same for all.
 */
public final class Template {
    /** Calls for which the code of a module is cold: the JVM interprets it, and loads what it needs for the first time. */
    private static final int COLD_CALLS = 64;
    private static final int COLD_FACTOR = 10;

    private final byte[] octets;
    private final WasmModule module;
    private final Function<Instance, Machine> factory;
    private final byte[] memory;
    private final int[][] tables;
    private int calls;

    /**
     * @param octets  of the module, without instructions; the compiler has found the whole module valid
     * @param factory of the code that was compiled for it
     * @param memory  with which instances begin, in place of segments of data; null for none
     * @param tables  with which they begin, as numbers of functions; null for those of the module
     */
    public Template(byte[] octets, Function<Instance, Machine> factory, byte[] memory, int[][] tables) {
        this.octets = octets;
        this.module = Parser.builder().withValidation(false).build().parse(() -> new ByteArrayInputStream(octets));
        this.factory = factory;
        this.memory = memory;
        this.tables = tables;
    }

    byte[] octets() {
        return octets;
    }

    WasmModule module() {
        return module;
    }

    Function<Instance, Machine> factory() {
        return factory;
    }

    byte[] memory() {
        return memory;
    }

    int[][] tables() {
        return tables;
    }

    /** Octets of memory that it holds. */
    public long size() {
        return memory == null ? 0 : memory.length;
    }

    /** A call is made. @return by how much it may take longer. Threads that count at the same time may miss each other, which does no harm */
    int patience() {
        if (calls < COLD_CALLS) {
            calls++;
            return COLD_FACTOR;
        }
        return 1;
    }
}
