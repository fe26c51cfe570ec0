package org.tamanoir.benchmarks.kernel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.ProcessTree;

/**
 * A way that stands.
 *
 * @param datagrams   where datagrams are sent
 * @param streams     where streams connect
 * @param destination what packets name as theirs
 * @param hops        that a datagram has left when it gets to the server; the load sends 16
 * @param node        on the way, if there is one
 */
record Route(InetSocketAddress datagrams, InetSocketAddress streams, InetAddress destination, int hops, Optional<NodeProcess> node) {
    private static final int HOPS = 16;

    static Route plain(KernelTestbed.Middle middle) {
        InetSocketAddress server = new InetSocketAddress(middle.server(), LoadServer.PORT);
        return new Route(server, server, middle.server(), HOPS, Optional.empty());
    }

    /** Starts the node. @param files its folder */
    static Route byNode(Way way, KernelTestbed.Middle middle, Path files, boolean light) {
        Path configuration = files.resolve("node.yaml");
        try {
            Files.writeString(configuration, NodeText.of(way, middle, light));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        InetSocketAddress listen = new InetSocketAddress(middle.address(), NodeText.PORT);
        NodeProcess node = NodeProcess.start(middle.host()::start, NodeText.hostPort(listen), files.resolve("data"),
                "--config", configuration.toString());
        return new Route(listen, new InetSocketAddress(middle.address(), NodeText.LIGHT), middle.server(), HOPS - 1, Optional.of(node));
    }

    Optional<ProcessTree> process() {
        return node.map(NodeProcess::tree);
    }
}
