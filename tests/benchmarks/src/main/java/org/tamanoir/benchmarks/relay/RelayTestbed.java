package org.tamanoir.benchmarks.relay;

import java.net.InetAddress;
import java.nio.file.Path;
import org.tamanoir.benchmarks.load.LoadSender;
import org.tamanoir.benchmarks.load.LoadSink;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.Link;

/**
 * Client, node and server in a line, with the sender on the client and the sink on the server. The node's host is a plain IP router as well:
 * that is how {@code direct} goes, over the same wires as everything else.
 */
final class RelayTestbed implements AutoCloseable {
    private final Lab lab = Lab.open();
    private final TemporaryFolder files = new TemporaryFolder();
    private final Host node;
    private final Link access;
    private final Link delivery;
    private final LoadSender sender;
    private final LoadSink sink;
    private int ports = 7000;

    RelayTestbed() {
        try {
            Host client = lab.host("client");
            node = lab.host("node");
            Host server = lab.host("server");
            access = lab.link(client, node);
            delivery = lab.link(node, server);
            node.forward(true);
            client.route(delivery.ipv4Subnet(), access.second().ipv4());
            server.route(access.ipv4Subnet(), delivery.first().ipv4());
            sender = LoadSender.start(command -> client.start("sender", command));
            sink = LoadSink.start(command -> server.start("sink", command), delivery.second().ipv4());
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Where the relays run. */
    Host node() {
        return node;
    }

    /** The node's address as the client sees it. */
    InetAddress nodeAddress() {
        return access.second().ipv4();
    }

    /** The subnet of the server. */
    String serverSubnet() {
        return delivery.ipv4Subnet();
    }

    LoadSender sender() {
        return sender;
    }

    LoadSink sink() {
        return sink;
    }

    /** A port of the node that no other relay has; the namespace is ours, so nobody else has it either. */
    int nextPort() {
        return ports++;
    }

    /** A folder of its own for a relay. */
    Path folder(String name) {
        return files.folder(name);
    }

    @Override
    public void close() {
        lab.close();
        files.close();
    }
}
