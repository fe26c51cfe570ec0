package org.tamanoir.benchmarks.kernel;

import org.tamanoir.benchmarks.process.Pinning;

/**
 * Which processes run on which CPUs; the same for every way.
 *
 * @param client of the client
 * @param node   of the node's process
 * @param server of the server
 */
record Placement(String client, String node, String server) {
    private static final int CPUS = Runtime.getRuntime().availableProcessors();

    /** Everything on one CPU, which is always awake: a round trip then costs what is done, and no wake-up of an idle CPU. */
    static final Placement ONE = new Placement("0", "0", "0");
    /** Both ends apart, the node wherever there is room: each way may use every CPU. */
    static final Placement APART = new Placement("0", Pinning.all(), CPUS == 1 ? "0" : "1");

    @Override
    public String toString() {
        return "client " + client + ", node " + node + ", server " + server;
    }
}
