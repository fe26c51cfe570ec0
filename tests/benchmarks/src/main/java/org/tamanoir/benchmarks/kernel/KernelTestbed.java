package org.tamanoir.benchmarks.kernel;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.tamanoir.anep.Anep;
import org.tamanoir.benchmarks.kernel.KernelPlan.Placement;
import org.tamanoir.benchmarks.kernel.KernelPlan.Way;
import org.tamanoir.benchmarks.kernel.KernelResults.Case;
import org.tamanoir.benchmarks.load.LoadNetwork;
import org.tamanoir.benchmarks.load.LoadTool;
import org.tamanoir.benchmarks.process.ProcessTree;
import org.tamanoir.benchmarks.qos.edge.EdgeNetwork;
import org.tamanoir.benchmarks.process.NodeProcess;
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
    private static final Duration WARM = Duration.ofMillis(200);
    /** Datagrams under way in a window. */
    private static final int WINDOW = 32;

    private final Map<Way, Middle> middles = new EnumMap<>(Way.class);
    private final Map<Way, ProcessTree> nodes = new EnumMap<>(Way.class);

    /** @param mtu of every link, octets of an IP packet */
    KernelTestbed(LoadTool tool, int mtu) {
        super(tool, LinkOptions.DEFAULT.mtu(mtu));
    }

    /** Makes a way, with its node if it has one. @param light whether its node takes light streams, instead of datagrams by rules */
    void open(Way way, boolean light) {
        Middle middle = middle(way.host);
        middles.put(way, middle);
        if (way.isNode()) {
            nodes.put(way, NodeProcess.start(middle.host(), folder(way.host), configuration(way, middle, light)).tree());
        }
    }

    private static String configuration(Way way, Middle middle, boolean light) {
        String server = EdgeNetwork.text(middle.server());
        return """
                listen: "%s"
                routes: {"%s": "%s"}
                code: none
                kernel: {use: %s, interfaces: [%s, %s]}
                """.formatted(EdgeNetwork.text(entry(middle, PORT)), middle.delivery().ipv4Subnet(), server, way.inKernel() ? "required" : "off",
                middle.access().second().name(), middle.delivery().first().name())
                + (light ? "light: {listen: \"%s\", connections: [{name: load, to: \"%s\", dscp: %d}]}\n"
                .formatted(EdgeNetwork.text(entry(middle, LIGHT)), server, DSCP) : rules(way));
    }

    private static InetSocketAddress entry(Middle middle, int port) {
        return new InetSocketAddress(middle.address(), port);
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

    /**
     * Lets the client run.
     *
     * @param octets of a packet
     * @param intact whether every octet of every answer is compared
     */
    Taken run(Way way, Case what, Placement placement, int octets, Duration duration, boolean intact) {
        Middle middle = middles.get(way);
        ProcessTree node = nodes.get(way);
        load().tree().pin(placement.server);
        if (node != null) {
            node.pin(placement.node);
        }
        return run(placement.client, new LoadTool.Client(what.program, node == null ? middle.server() : entry(middle, what.isTcp() ? LIGHT : PORT),
                middle.server().getAddress(), octets, duration, WARM, node == null ? HOPS : HOPS - 1, what.isTrip() ? 1 : WINDOW, intact),
                node == null ? new long[0] : new long[] {node.root()});
    }
}
