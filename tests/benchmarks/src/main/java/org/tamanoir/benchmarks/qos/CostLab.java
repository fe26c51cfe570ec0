package org.tamanoir.benchmarks.qos;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.benchmarks.load.LoadNetwork;
import org.tamanoir.benchmarks.load.LoadTool;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.qos.edge.EdgeNetwork;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.qos.edge.OpenSession;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LinkOptions;

/**
 * Between client and server two nodes: one that the kernel helps, one whose process does everything. At the server another node answers their probes,
 * but those of best effort are lost there: a flow that asked for few losses is in EF.
 */
final class CostLab extends LoadNetwork {
    private static final int PROBES = 862;
    private static final String[] SERVICES = {"forward", "qosinus", "qos-monitoring", "qos-decision", "qos-enforcement"};
    /** What EF has, and what the sessions of the load say that they send: far more than they do, so that nothing is over its profile. */
    private static final String EF = "100gbit";
    private static final String PLENTY = "maxLossPct=1,traffic=2500000000";
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    private final List<Side> sides;

    CostLab() {
        super(LoadTool.make(), LinkOptions.DEFAULT);
        try {
            server().nft("""
                    table inet best_effort_is_lost {
                      chain arriving {
                        type filter hook prerouting priority -300; policy accept;
                        udp dport %d ip dscp 0 drop
                      }
                    }
                    """.formatted(PROBES));
            NodeProcess.start(server(), folder("reflector"), "listen: '127.0.0.1:0'\ncode: none\nprobes: {listen: '0.0.0.0:" + PROBES + "'}\n"
                    + "kernel: {use: 'off'}\n");
            sides = List.of(new Side(true), new Side(false));
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Of the side that the kernel helps, and of the other. */
    static String name(boolean kernel) {
        return kernel ? "kernel" : "node";
    }

    List<Side> sides() {
        return sides;
    }

    Side side(boolean kernel) {
        return sides.get(kernel ? 0 : 1);
    }

    /** A node between client and server, with sessions in the class EF. */
    final class Side {
        final InetSocketAddress entry;
        final InetSocketAddress server;
        final NodeProcess node;
        private final boolean kernel;
        private final Map<Boolean, OpenSession> load = new HashMap<>();

        private Side(boolean kernel) {
            this.kernel = kernel;
            Middle middle = middle(toString());
            entry = new InetSocketAddress(middle.address(), EdgeNetwork.PORT);
            server = middle.server();
            String subnet = middle.delivery().ipv4Subnet();
            node = NodeProcess.start(middle.host(), folder(toString()), """
                    listen: '%s'
                    code: none
                    routes: {%s: '%s'}
                    kernel: {use: %s, interfaces: [%s, %s]}
                    rules: [{name: load, match: {type: '0x%x'}, actions: [count, forward]}]
                    services:
                      qosinus: {ef: %s, lbe: false, quiet: 1h, reflectors: '%s=%s:%d'}
                    """.formatted(EdgeNetwork.text(entry), subnet, EdgeNetwork.text(server), kernel ? "required" : "off",
                    middle.access().second().name(), middle.delivery().first().name(), Cost.Way.RULE.typeId, EF, subnet,
                    server.getAddress().getHostAddress(), PROBES));
            for (String service : SERVICES) {
                node.deploy(CommandLineTool.bundle(service));
            }
        }

        @Override
        public String toString() {
            return name(kernel);
        }

        /** The session of the load, opened when it is asked for first. */
        OpenSession load(boolean udp) {
            return load.computeIfAbsent(udp, unused -> open(udp, PLENTY));
        }

        /** A session. The server behind the node takes no requests, so that the node is the whole path. */
        OpenSession open(boolean udp, String level) {
            return OpenSession.open(client(), node, entry, server, false, udp, level);
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
