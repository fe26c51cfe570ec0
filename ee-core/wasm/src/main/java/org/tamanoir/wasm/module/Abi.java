package org.tamanoir.wasm.module;

import java.util.Set;

/** The contracts between a module and a node. Which one a module keeps is read off its exports. */
public enum Abi {
    /** The node's own. */
    TAMANOIR_1("tamanoir_1", Set.of("tamanoir_run")),
    PROXY_WASM_0_1_0("env", Set.of("proxy_abi_version_0_1_0")),
    PROXY_WASM_0_2_0("env", Set.of("proxy_abi_version_0_2_0")),
    PROXY_WASM_0_2_1("env", Set.of("proxy_abi_version_0_2_1"));

    private final String importModule;
    private final Set<String> marks;

    Abi(String importModule, Set<String> marks) {
        this.importModule = importModule;
        this.marks = marks;
    }

    /** The name under which modules import what the node grants by this contract. */
    public String importModule() {
        return importModule;
    }

    /** The exports by which it is known. */
    Set<String> marks() {
        return marks;
    }
}
