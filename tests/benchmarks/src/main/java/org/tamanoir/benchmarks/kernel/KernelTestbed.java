package org.tamanoir.benchmarks.kernel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.tamanoir.anep.Anep;
import org.tamanoir.benchmarks.kernel.KernelPlan.Way;
import org.tamanoir.benchmarks.load.LoadNetwork;
import org.tamanoir.benchmarks.load.LoadTool;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.ProcessTree;
import org.tamanoir.lab.LinkOptions;

/** The ways between client and server, each with a host of its own. */
final class KernelTestbed extends LoadNetwork {
    /** Of the load's packets. */
    static final int TYPE_ID = 0x5500;
    /** Expedited forwarding (RFC 3246): what the rule and the light connection write into the packets. */
    static final int DSCP = 46;
    private static final int PORT = Anep.PORT_DATA;
    private static final int LIGHT = PORT + 1;
    /** That the load's datagrams begin with; a node takes one of them. */
    private static final int HOPS = 16;

    /**
     * A way that stands.
     *
     * @param datagrams   where datagrams are sent
     * @param streams     where streams connect
     * @param destination what packets name as theirs
     * @param hops        that a datagram has left when it gets to the server
     * @param node        on the way, if there is one
     */
    record Route(InetSocketAddress datagrams, InetSocketAddress streams, InetAddress destination, int hops, Optional<ProcessTree> node) {
    }

    private final Map<Way, Route> routes = new EnumMap<>(Way.class);

    /** @param mtu of every link, octets of an IP packet */
    KernelTestbed(LoadTool tool, int mtu) {
        super(tool, LinkOptions.DEFAULT.mtu(mtu));
    }

    /** Makes a way, with its node if it has one. @param light whether its node takes light streams, instead of datagrams by rules */
    void open(Way way, boolean light) {
        Middle middle = middle(way.host);
        InetAddress destination = middle.server().getAddress();
        if (!way.isNode()) {
            routes.put(way, new Route(middle.server(), middle.server(), destination, HOPS, Optional.empty()));
            return;
        }
        Path folder = folder(way.host);
        Path configuration = folder.resolve("node.yaml");
        try {
            Files.writeString(configuration, configuration(way, middle, light));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        InetSocketAddress listen = new InetSocketAddress(middle.address(), PORT);
        NodeProcess node = NodeProcess.start(middle.host()::start, text(listen), folder.resolve("data"), "--config", configuration.toString());
        routes.put(way, new Route(listen, new InetSocketAddress(middle.address(), LIGHT), destination, HOPS - 1, Optional.of(node.tree())));
    }

    private static String configuration(Way way, Middle middle, boolean light) {
        return """
                routes: {"%s": "%s"}
                code: none
                kernel: {use: %s, interfaces: [%s, %s]}
                """.formatted(middle.delivery().ipv4Subnet(), text(middle.server()), way.inKernel() ? "required" : "off",
                middle.access().second().name(), middle.delivery().first().name())
                + (light ? "light: {listen: \"%s\", connections: [{name: load, to: \"%s\", dscp: %d}]}\n"
                .formatted(text(new InetSocketAddress(middle.address(), LIGHT)), text(middle.server()), DSCP) : rules(way));
    }

    /** The rule of the load's packets behind others, which match none of them: of its own shape, or of three other ones. */
    private static String rules(Way way) {
        StringBuilder text = new StringBuilder("rules:\n");
        for (int i = 0; i < way.rules() - 1; i++) {
            String prefix = i / 25_600 + "." + i / 100 % 256 + "." + i % 100 + "/32";
            String match = !way.hasShapes() ? "type: \"0x%x\"".formatted(TYPE_ID + 1 + i) : switch (i % 3) {
                case 0 -> "source: 10.1" + prefix;
                case 1 -> "destination: 10.2" + prefix;
                default -> "session: \"%x\"".formatted(i + 1);
            };
            text.append("  - {name: r").append(i).append(", match: {").append(match).append("}, actions: [drop]}\n");
        }
        return text + "  - {name: load, match: {type: \"0x%x\"}, actions: [count, {dscp: %d}, forward]}\n".formatted(TYPE_ID, DSCP);
    }

    private static String text(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    Route route(Way way) {
        return routes.get(way);
    }
}
