package org.tamanoir.benchmarks.relay;

import io.netty.util.NetUtil;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.benchmarks.process.ProcessTree;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.benchmarks.relay.RelayLoad.RelaySystem;
import org.tamanoir.identity.Authority;
import org.tamanoir.identity.Identity;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.Link;
import org.tamanoir.lab.LinkOptions;

/**
 * Client, relay and server in a line, with the load at both ends; for TLS there are two places for relays, and relays speak TLS with each
 * other. Their hosts are plain IP routers as well: that is how {@code direct} goes, over the same wires as everything else.
 */
final class RelayTestbed implements AutoCloseable {
    /** The name of the second place in its certificate, for peers that look for no address there. */
    static final String FAR = "far";
    /** More than a node has from its first on. */
    private static final int PORTS_OF_A_RELAY = 10;

    /**
     * Where relays run.
     *
     * @param address where they listen
     * @param accepts whether they speak TLS with those who come in, and not with those to whom they connect
     * @param files   who they are; null without TLS
     */
    record Station(Host host, InetAddress address, boolean accepts, Identity.Files files) {
        boolean connects() {
            return files != null && !accepts;
        }
    }

    /** Where a relay listens, and where it sends what comes in there. */
    record Way(InetSocketAddress listen, InetSocketAddress to) {
        String from() {
            return NetUtil.toSocketAddressString(listen);
        }

        String next() {
            return NetUtil.toSocketAddressString(to);
        }
    }

    /** What a relay is told. @param folder of its own @param ways one for each destination of the load; of a node the first alone */
    record Place(Station at, Path folder, List<Way> ways) {
    }

    /** Starts a relay. */
    interface Relay {
        ProcessTree start(Place place) throws IOException;
    }

    private final Lab lab = Lab.open();
    private final TemporaryFolder files = new TemporaryFolder();
    /** In the order in which relays start: each knows where the next one listens. */
    private final List<Station> backwards;
    private final String serverSubnet;
    private final RelayLoad load;
    private int port = 7000;

    RelayTestbed(RelayPlan plan) {
        try {
            boolean tls = plan.transport() == Transport.TLS;
            LinkOptions options = LinkOptions.DEFAULT.mtu(plan.transport().mtu());
            Host client = lab.host("client");
            Host node = lab.host("node");
            Host far = tls ? lab.host(FAR) : node;
            Host server = lab.host("server");
            Link access = lab.link(client, node, options);
            Link delivery = lab.link(far, server, options);
            serverSubnet = delivery.ipv4Subnet();
            node.forward(true);
            client.route(serverSubnet, access.second().ipv4());
            server.route(access.ipv4Subnet(), delivery.first().ipv4());
            backwards = tls ? pair(access, node, far) : List.of(new Station(node, access.second().ipv4(), false, null));
            load = plan.transport() == Transport.UDP ? new DatagramLoad(plan, client, delivery.second())
                    : new StreamLoad(plan, client, delivery.second());
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private List<Station> pair(Link access, Host node, Host far) {
        Link between = lab.link(node, far);
        InetAddress near = between.first().ipv4();
        InetAddress distant = between.second().ipv4();
        far.forward(true);
        node.route(serverSubnet, distant);
        far.route(access.ipv4Subnet(), near);
        Authority authority = new Authority(files.folder("certificates"), "authority");
        Identity.Files connects = authority.certify("near", "IP:" + near.getHostAddress(), 1);
        Identity.Files accepts = authority.certify(FAR, "IP:" + distant.getHostAddress() + ",DNS:" + FAR, 1);
        return List.of(new Station(far, distant, true, accepts),
                new Station(node, access.second().ipv4(), false, connects));
    }

    /** The subnet of the server. */
    String serverSubnet() {
        return serverSubnet;
    }

    RelayLoad load() {
        return load;
    }

    /** No relay: the kernel does it. */
    RelaySystem direct() {
        return system(RelayKind.DIRECT, load.destinations(), List.of());
    }

    /** Starts a relay at every station; they end with the testbed. @param ways how many it has at most */
    RelaySystem start(RelayKind kind, int ways, Relay relay) {
        List<ProcessTree> processes = new ArrayList<>();
        List<InetSocketAddress> next = load.destinations().stream().limit(ways).toList();
        for (Station at : backwards) {
            // Ports that no other relay has; the namespaces are ours, so nobody else has them either.
            List<Way> found = next.stream().map(to -> new Way(new InetSocketAddress(at.address, port += PORTS_OF_A_RELAY), to)).toList();
            try {
                processes.add(relay.start(new Place(at, files.folder(kind + "-" + at.address.getHostAddress()), found)));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            next = found.stream().map(Way::listen).toList();
        }
        next.forEach(load::reach);
        return system(kind, next, processes);
    }

    private static RelaySystem system(RelayKind kind, List<InetSocketAddress> entries, List<ProcessTree> processes) {
        return new RelaySystem(kind, entries.get(0), entries.get(entries.size() - 1), processes);
    }

    @Override
    public void close() {
        lab.close();
        files.close();
    }
}
