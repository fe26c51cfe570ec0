package org.tamanoir.benchmarks.qos.cost;

import java.util.List;
import org.tamanoir.benchmarks.kernel.LoadServer;
import org.tamanoir.benchmarks.kernel.LoadTool;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.benchmarks.qos.edge.EdgeNode;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.Link;

/**
 * A client and a server, and between them two nodes: one that the kernel helps, one whose process does everything. At the server another node answers
 * their probes, but those of best effort are lost there: a flow that asked for few losses is in EF.
 */
final class CostLab implements AutoCloseable {
    private static final int PROBES = 862;

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
            EdgeNode.start(host, files.folder("reflector"), "listen: '127.0.0.1:0'\ncode: none\nprobes: {listen: '0.0.0.0:" + PROBES + "'}\n"
                    + "kernel: {use: 'off'}\n");
            kernel = side(true, host);
            node = side(false, host);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private Side side(boolean useKernel, Host host) {
        Host middle = lab.host(useKernel ? "kernel" : "node");
        Link access = lab.link(client, middle);
        Link delivery = lab.link(middle, host);
        middle.forward(true);
        client.route(delivery.ipv4Subnet(), access.second().ipv4());
        host.route(access.ipv4Subnet(), delivery.first().ipv4());
        return new Side(useKernel, client, middle, access, delivery, files.folder(middle.name()), PROBES);
    }

    Side kernel() {
        return kernel;
    }

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

    java.nio.file.Path folder() {
        return files.folder("client");
    }

    @Override
    public void close() {
        lab.close();
        files.close();
    }
}
