package org.tamanoir.benchmarks.qos.cost;

import java.util.List;

/** How a node treats the packets of the load. */
enum Way {
    /** The service forward passes them on. */
    FORWARD("forward", 0x5401),
    /** A light rule of the operator counts them and sends them on: no mark, no meter. */
    RULE("rule", 0x5500),
    /** Type ID of QoSinus, and no session: marked as best effort by the handler. */
    NO_SESSION("qosinus-no-session", 0x5404),
    /** In a session in the class EF: metered by a token bucket and marked, by a light rule (UDP) or by the handler (TCP). */
    SESSION("qosinus-session", 0x5404);

    /** What the node's process does with datagrams. */
    static final List<Way> UDP_NODE = List.of(FORWARD, RULE, NO_SESSION, SESSION);
    /** What the kernel does with datagrams. */
    static final List<Way> UDP_KERNEL = List.of(RULE, SESSION);
    static final List<Way> TCP = List.of(FORWARD, NO_SESSION, SESSION);

    private final String name;
    private final int typeId;

    Way(String name, int typeId) {
        this.name = name;
        this.typeId = typeId;
    }

    int typeId() {
        return typeId;
    }

    @Override
    public String toString() {
        return name;
    }
}
