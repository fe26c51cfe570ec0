package org.tamanoir.lab;

/**
 * The network of the active grid: a client and a server at two sites, a node at the edge of each, the backbone between them.
 *
 * <pre>
 *   client ── access ── node-a ── backbone ── node-b ── delivery ── server
 *    10.0.1.1    10.0.1.2   10.0.2.1     10.0.2.2  10.0.3.1     10.0.3.2
 * </pre>
 *
 * <p>Each host reaches its neighbours only: what comes from the client to the server was carried by the two nodes. With
 * {@link #forwardPackets} the nodes are ordinary routers as well.
 *
 * @param access   first end: client; second: node A
 * @param backbone first end: node A; second: node B
 * @param delivery first end: node B; second: server
 */
public record EdgeTestbed(Lab lab, Link access, Link backbone, Link delivery) implements AutoCloseable {
    /** The testbed with links of the defaults. @throws LabException if something is missing; the message names the remedy */
    public static EdgeTestbed open() {
        return open(LinkOptions.DEFAULT);
    }

    /** The testbed with three links of the same kind. */
    public static EdgeTestbed open(LinkOptions options) {
        return Lab.open(lab -> {
            Host client = lab.host("client");
            Host nodeA = lab.host("node-a");
            Host nodeB = lab.host("node-b");
            Host server = lab.host("server");
            return new EdgeTestbed(lab, lab.link(client, nodeA, options), lab.link(nodeA, nodeB, options), lab.link(nodeB, server, options));
        });
    }

    /** Makes routers of both nodes, with routes at all four hosts, so that the client reaches the server without any active node. */
    public void forwardPackets() {
        client().route(backbone, access.second());
        client().route(delivery, access.second());
        nodeA().route(delivery, backbone.second());
        nodeB().route(access, backbone.first());
        server().route(access, delivery.first());
        server().route(backbone, delivery.first());
        nodeA().forward(true);
        nodeB().forward(true);
    }

    public Host client() {
        return access.first().host();
    }

    public Host nodeA() {
        return backbone.first().host();
    }

    public Host nodeB() {
        return backbone.second().host();
    }

    public Host server() {
        return delivery.second().host();
    }

    @Override
    public void close() {
        lab.close();
    }
}
