package org.tamanoir.benchmarks.kernel;

import java.util.Locale;
import org.tamanoir.benchmarks.process.ProcessTree;

/** Which processes run on which CPUs; the same for every way. The README of the module says what was measured. */
public enum Placement {
    /** Everything on one CPU, which is always awake: what is measured is what is done, and no wake-up of an idle CPU. */
    ONE("0", "0", "0"),
    /** Both ends apart, the node wherever there is room. */
    APART("0", ProcessTree.allCpus(), Runtime.getRuntime().availableProcessors() == 1 ? "0" : "1");

    private final String client;
    private final String node;
    private final String server;

    Placement(String client, String node, String server) {
        this.client = client;
        this.node = node;
        this.server = server;
    }

    /** CPUs of the client, as {@code taskset -c} takes them. */
    String client() {
        return client;
    }

    /** CPUs of the node's process. */
    String node() {
        return node;
    }

    /** CPUs of the server. */
    String server() {
        return server;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
