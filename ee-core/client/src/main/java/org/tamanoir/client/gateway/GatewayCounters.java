package org.tamanoir.client.gateway;

import java.util.concurrent.atomic.LongAdder;

/** What a gateway has done so far. */
public final class GatewayCounters {
    private final LongAdder connections = new LongAdder();
    private final LongAdder reused = new LongAdder();
    private final LongAdder aborted = new LongAdder();
    private final LongAdder broken = new LongAdder();
    private final LongAdder toNode = new LongAdder();
    private final LongAdder toProgram = new LongAdder();

    GatewayCounters() {
    }

    void connection() {
        connections.increment();
    }

    void brokenConnection() {
        broken.increment();
    }

    void reusedConnection() {
        reused.increment();
    }

    void abortedConnection() {
        aborted.increment();
    }

    void toNode(int octets) {
        toNode.add(octets);
    }

    void toProgram(int octets) {
        toProgram.add(octets);
    }

    /** Connections accepted. */
    public long connections() {
        return connections.sum();
    }

    /** Those of them whose stream used a connection to the node that had carried another one before. */
    public long reused() {
        return reused.sum();
    }

    /** Connections that their programs gave up before both sides had finished. */
    public long aborted() {
        return aborted.sum();
    }

    /** Connections that were reset: refused by a node, lost, or cut when the gateway stopped. */
    public long broken() {
        return broken.sum();
    }

    /** Octets read from programs. */
    public long octetsToNode() {
        return toNode.sum();
    }

    /** Octets of payload that came back for programs. */
    public long octetsToProgram() {
        return toProgram.sum();
    }
}
