package org.tamanoir.benchmarks.qos.cost;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.tamanoir.benchmarks.kernel.LoadServer;
import org.tamanoir.benchmarks.kernel.LoadTool;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.benchmarks.qos.cost.Cost.Way;
import org.tamanoir.benchmarks.qos.edge.EdgeNetwork;
import org.tamanoir.benchmarks.qos.edge.OpenSession;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.Link;

/**
 * A client and a server, and between them two nodes: one that the kernel helps, one whose process does everything. At the server another node answers
 * their probes, but those of best effort are lost there: a flow that asked for few losses is in EF.
 */
final class CostLab implements AutoCloseable {
    private static final int PROBES = 862;
    private static final String[] SERVICES = {"forward", "qosinus", "qos-monitoring", "qos-decision", "qos-enforcement"};
    /** What EF has, and what the sessions of the load say that they send: far more than they do, so that nothing is over its profile. */
    private static final String EF = "100gbit";
    private static final String PLENTY = "maxLossPct=1,traffic=2500000000";
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    private final Lab lab = Lab.open();
    private final TemporaryFolder files = new TemporaryFolder();
    private final LoadTool tool = LoadTool.make();
    private final Host client;
    private final LoadServer server;
    private final Side kernel;
    private final Side node;

    CostLab() {
        try {
            client = lab.host("client");
            Host host = lab.host("server");
            server = LoadServer.start(host, tool);
            host.nft("""
                    table inet best_effort_is_lost {
                      chain arriving {
                        type filter hook prerouting priority -300; policy accept;
                        udp dport %d ip dscp 0 drop
                      }
                    }
                    """.formatted(PROBES));
            NodeProcess.start(host, files.folder("reflector"), "listen: '127.0.0.1:0'\ncode: none\nprobes: {listen: '0.0.0.0:" + PROBES + "'}\n"
                    + "kernel: {use: 'off'}\n");
            kernel = new Side(true, host);
            node = new Side(false, host);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** The one whose process does everything. */
    Side node() {
        return node;
    }

    List<Side> sides() {
        return List.of(kernel, node);
    }

    Host client() {
        return client;
    }

    LoadServer server() {
        return server;
    }

    LoadTool tool() {
        return tool;
    }

    /** For files of the client. */
    Path folder() {
        return files.folder("client");
    }

    @Override
    public void close() {
        lab.close();
        files.close();
    }

    /** A node between client and server that the kernel helps, or does not, with sessions in the class EF. */
    final class Side {
        private final boolean kernel;
        private final InetSocketAddress entry;
        private final InetSocketAddress server;
        private final NodeProcess node;

        private Side(boolean kernel, Host host) {
            this.kernel = kernel;
            Host middle = lab.host(toString());
            Link access = lab.link(client, middle);
            Link delivery = lab.link(middle, host);
            middle.forward(true);
            client.route(delivery.ipv4Subnet(), access.second().ipv4());
            host.route(access.ipv4Subnet(), delivery.first().ipv4());
            entry = new InetSocketAddress(access.second().ipv4(), EdgeNetwork.PORT);
            server = new InetSocketAddress(delivery.second().ipv4(), LoadServer.PORT);
            node = NodeProcess.start(middle, files.folder(toString()), """
                    listen: '%s'
                    code: none
                    routes: {%s: '%s'}
                    kernel: {use: %s, interfaces: [%s, %s]}
                    rules: [{name: load, match: {type: '0x%x'}, actions: [count, forward]}]
                    services:
                      qosinus: {ef: %s, lbe: false, quiet: 1h, reflectors: '%s=%s:%d'}
                    """.formatted(EdgeNetwork.text(entry), delivery.ipv4Subnet(), EdgeNetwork.text(server), kernel ? "required" : "off",
                    access.second().name(), delivery.first().name(), Way.RULE.typeId(), EF, delivery.ipv4Subnet(), server.getAddress().getHostAddress(), PROBES));
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
            return entry;
        }

        InetSocketAddress server() {
            return server;
        }

        NodeProcess node() {
            return node;
        }

        /** A session for the load. */
        OpenSession open(boolean udp) {
            return open(udp, PLENTY);
        }

        /** A session. The server behind the node takes no requests, so that the node is the whole path. */
        OpenSession open(boolean udp, String level) {
            return OpenSession.open(client, node, entry, server, false, udp, level);
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
}
