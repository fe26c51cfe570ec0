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
 */
public final class EdgeTestbed implements AutoCloseable {
    private final Lab lab;
    private final Host client;
    private final Host nodeA;
    private final Host nodeB;
    private final Host server;
    private final Link access;
    private final Link backbone;
    private final Link delivery;

    private EdgeTestbed(Lab lab, LinkOptions options) {
        this.lab = lab;
        client = lab.host("client");
        nodeA = lab.host("node-a");
        nodeB = lab.host("node-b");
        server = lab.host("server");
        access = lab.link(client, nodeA, options);
        backbone = lab.link(nodeA, nodeB, options);
        delivery = lab.link(nodeB, server, options);
    }

    /** The testbed with links of the defaults. @throws LabException if something is missing; the message names the remedy */
    public static EdgeTestbed open() {
        return open(LinkOptions.DEFAULT);
    }

    /** The testbed with three links of the same kind. */
    public static EdgeTestbed open(LinkOptions options) {
        Lab lab = Lab.open();
        try {
            return new EdgeTestbed(lab, options);
        } catch (RuntimeException e) {
            lab.close();
            throw e;
        }
    }

    /** Makes routers of both nodes, with routes at all four hosts, so that the client reaches the server without any active node. */
    public void forwardPackets() {
        client.route(backbone.ipv4Subnet(), access.second().ipv4());
        client.route(delivery.ipv4Subnet(), access.second().ipv4());
        client.route(backbone.ipv6Subnet(), access.second().ipv6());
        client.route(delivery.ipv6Subnet(), access.second().ipv6());
        nodeA.route(delivery.ipv4Subnet(), backbone.second().ipv4());
        nodeA.route(delivery.ipv6Subnet(), backbone.second().ipv6());
        nodeB.route(access.ipv4Subnet(), backbone.first().ipv4());
        nodeB.route(access.ipv6Subnet(), backbone.first().ipv6());
        server.route(access.ipv4Subnet(), delivery.first().ipv4());
        server.route(access.ipv6Subnet(), delivery.first().ipv6());
        server.route(backbone.ipv4Subnet(), delivery.first().ipv4());
        server.route(backbone.ipv6Subnet(), delivery.first().ipv6());
        nodeA.forward(true);
        nodeB.forward(true);
    }

    public Host client() {
        return client;
    }

    public Host nodeA() {
        return nodeA;
    }

    public Host nodeB() {
        return nodeB;
    }

    public Host server() {
        return server;
    }

    /** First end: client; second: node A. */
    public Link access() {
        return access;
    }

    /** First end: node A; second: node B. */
    public Link backbone() {
        return backbone;
    }

    /** First end: node B; second: server. */
    public Link delivery() {
        return delivery;
    }

    @Override
    public void close() {
        lab.close();
    }
}
