package org.tamanoir.benchmarks.kernel;

import java.net.InetAddress;
import java.util.EnumMap;
import java.util.Map;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.Link;
import org.tamanoir.lab.LinkOptions;

/**
 * One client and one server, and between them a host for each way, with links of its own: what one way attaches or loads into its kernel,
 * the packets of no other one meet.
 */
final class KernelTestbed implements AutoCloseable {
    /**
     * The host between client and server.
     *
     * @param host     a router of IPv4
     * @param access   from the client, its second end here
     * @param delivery to the server, its first end here
     */
    record Middle(Host host, Link access, Link delivery) {
        /** Where the client sends what is for a node. */
        InetAddress address() {
            return access.second().ipv4();
        }

        /** The server, as it is reached by this way. */
        InetAddress server() {
            return delivery.second().ipv4();
        }
    }

    private final Lab lab = Lab.open();
    private final TemporaryFolder files = new TemporaryFolder();
    private final LinkOptions options;
    private final LoadTool tool;
    private final Host client;
    private final Host server;
    private final LoadServer load;
    private final Map<Way, Route> routes = new EnumMap<>(Way.class);

    /** @param mtu of every link, octets of an IP packet */
    KernelTestbed(LoadTool tool, int mtu) {
        this.tool = tool;
        this.options = LinkOptions.DEFAULT.mtu(mtu);
        try {
            client = lab.host("client");
            server = lab.host("server");
            load = LoadServer.start(server, tool);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** A new host between client and server. */
    Middle middle(String name) {
        Host host = lab.host(name);
        Link access = lab.link(client, host, options);
        Link delivery = lab.link(host, server, options);
        host.forward(true);
        client.route(delivery.ipv4Subnet(), access.second().ipv4());
        server.route(access.ipv4Subnet(), delivery.first().ipv4());
        return new Middle(host, access, delivery);
    }

    /** Makes a way, with its node if it has one. @param light whether its node takes light streams, instead of datagrams by rules */
    void open(Way way, boolean light) {
        Middle middle = middle(way.host());
        routes.put(way, way.isNode() ? Route.byNode(way, middle, files.folder(way.host()), light) : Route.plain(middle));
    }

    Route route(Way way) {
        return routes.get(way);
    }

    Host client() {
        return client;
    }

    LoadServer server() {
        return load;
    }

    LoadTool tool() {
        return tool;
    }

    @Override
    public void close() {
        lab.close();
        files.close();
    }
}
