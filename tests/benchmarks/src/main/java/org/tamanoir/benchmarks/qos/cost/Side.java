package org.tamanoir.benchmarks.qos.cost;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import org.tamanoir.benchmarks.kernel.LoadServer;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.qos.edge.EdgeNode;
import org.tamanoir.benchmarks.qos.edge.OpenSession;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.Link;

/** A node between client and server that the kernel helps, or does not, with sessions in the class EF. */
final class Side {
    private static final int PORT = 3322;
    private static final String[] SERVICES = {"forward", "qosinus", "qos-monitoring", "qos-decision", "qos-enforcement"};
    /** What EF has, and what the sessions of the load say that they send: far more than they do, so that nothing is over its profile. */
    private static final String EF = "100gbit";
    private static final String PLENTY = "maxLossPct=1,traffic=2500000000";
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    private final boolean kernel;
    private final Host client;
    private final Link access;
    private final Link delivery;
    private final EdgeNode node;

    /** @param reflector who answers probes of the node, for its way to the server */
    Side(boolean kernel, Host client, Host middle, Link access, Link delivery, Path folder, int reflector) {
        this.kernel = kernel;
        this.client = client;
        this.access = access;
        this.delivery = delivery;
        String server = delivery.second().ipv4().getHostAddress();
        node = EdgeNode.start(middle, folder, "listen: '" + text(entry()) + "'\ncode: none\nroutes: {" + delivery.ipv4Subnet() + ": '" + server + ":"
                + LoadServer.PORT + "'}\nkernel: {use: " + (kernel ? "required" : "off") + ", interfaces: [" + access.second().name() + ", "
                + delivery.first().name() + "]}\nrules: [{name: load, match: {type: '0x" + Integer.toHexString(Way.RULE.typeId())
                + "'}, actions: [count, forward]}]\nservices:\n  qosinus: {ef: " + EF + ", lbe: false, quiet: 1h, reflectors: '"
                + delivery.ipv4Subnet() + "=" + server + ":" + reflector + "'}\n");
        for (String service : SERVICES) {
            node.deploy(CommandLineTool.bundle(service));
        }
    }

    boolean isKernel() {
        return kernel;
    }

    /** {@code kernel} or {@code node}. */
    @Override
    public String toString() {
        return kernel ? "kernel" : "node";
    }

    InetSocketAddress entry() {
        return new InetSocketAddress(access.second().ipv4(), PORT);
    }

    InetSocketAddress server() {
        return new InetSocketAddress(delivery.second().ipv4(), LoadServer.PORT);
    }

    static String text(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    EdgeNode node() {
        return node;
    }

    /** A session for the load. The server behind the node takes no requests, so that the node is the whole path. */
    OpenSession open(boolean udp) {
        return open(udp, PLENTY);
    }

    OpenSession open(boolean udp, String level) {
        return OpenSession.open(client, node, entry(), server(), false, udp, level);
    }

    /** Waits until a flow that runs is in EF, and marked where it should be. */
    void awaitEf(OpenSession session, boolean udp) {
        String wanted = udp ? "by a rule" : "by the node's socket";
        session.await(PATIENCE, shown -> shown.path("class").asText().equals("EF") && shown.path("marked").asText().equals(wanted));
        if (udp && rule(session).path("runs").asText().equals("kernel") != kernel) {
            throw new LabException("the rule of session " + session.name() + " runs elsewhere: " + rule(session));
        }
    }

    /** The light rule of a session. */
    JsonNode rule(OpenSession session) {
        for (JsonNode rule : node.get("/rules").path("rules")) {
            if (rule.path("name").asText().equals("session-" + session.name())) {
                return rule;
            }
        }
        throw new LabException("session " + session.name() + " has no rule");
    }
}
