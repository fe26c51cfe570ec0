package org.tamanoir.benchmarks.coalesce;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.tamanoir.benchmarks.load.LoadServer;
import org.tamanoir.benchmarks.load.LoadTool;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.Link;
import org.tamanoir.lab.LinkOptions;
import org.tamanoir.lab.Port;

/** A client, two nodes, and a server in a row. On the link between the nodes every packet stands on its own, and there it may be counted and limited. */
final class CoalesceSite implements AutoCloseable {
    /** Also that of the nodes: the load names as its destination's the port that it sends to. */
    private static final int PORT = LoadServer.PORT;
    private static final String TABLE = "packet_limit";
    private static final String[] SERVICES = {"monitoring", "coalesce"};

    private final Lab lab = Lab.open();
    private final TemporaryFolder files = new TemporaryFolder();
    private final Port arriving;
    final LoadTool tool = LoadTool.make();
    final Host client;
    final Host server;
    final LoadServer load;
    /** Where the first node takes packets. */
    final InetSocketAddress entry;
    final InetSocketAddress destination;

    CoalesceSite() {
        try {
            client = lab.host("client");
            Host ingress = lab.host("ingress");
            Host egress = lab.host("egress");
            server = lab.host("server");
            Link access = lab.link(client, ingress);
            Link middle = lab.link(ingress, egress, LinkOptions.DEFAULT.offloads(false));
            Link delivery = lab.link(egress, server);
            arriving = middle.second();
            entry = new InetSocketAddress(access.second().ipv4(), PORT);
            destination = new InetSocketAddress(delivery.second().ipv4(), PORT);
            load = LoadServer.start(server, tool);
            String to = destination.getAddress().getHostAddress() + "/32";
            node(egress, "{'" + to + "': direct}");
            node(ingress, "{'" + to + "': '" + arriving.ipv4().getHostAddress() + ":" + PORT + "'}");
            arriving.host().nft("""
                    table inet %s {
                      chain arriving {
                        type filter hook prerouting priority -300; policy accept;
                      }
                    }
                    """.formatted(TABLE));
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private void node(Host host, String routes) {
        Path folder = files.folder(host.name());
        NodeProcess node = NodeProcess.start(host, folder, "listen: '0.0.0.0:" + PORT + "'\ncode: none\nkernel: {use: 'off'}\nroutes: " + routes + "\n");
        for (String service : SERVICES) {
            node.deploy(CommandLineTool.bundle(service));
        }
    }

    /** Lets the link carry so many packets a second from now on, and drops the rest; 0 for no limit. */
    void limit(int packets) {
        String chain = "inet " + TABLE + " arriving";
        arriving.host().nft("flush chain " + chain + (packets == 0 ? "" : "\nadd rule " + chain + " iifname \"" + arriving.name()
                + "\" meta l4proto { tcp, udp } limit rate over " + packets + "/second burst " + packets / 20 + " packets drop"));
    }

    /** IP packets that have come to the second node by the link. */
    long carried() {
        return arriving.statistics().rxPackets();
    }

    @Override
    public void close() {
        lab.close();
        files.close();
    }
}
