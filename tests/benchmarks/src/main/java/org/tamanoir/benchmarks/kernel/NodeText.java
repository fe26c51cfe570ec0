package org.tamanoir.benchmarks.kernel;

import java.net.InetSocketAddress;
import org.tamanoir.anep.Anep;

/** The configuration of a node under measurement. */
final class NodeText {
    static final int PORT = Anep.PORT_DATA;
    static final int LIGHT = PORT + 1;
    /** Of the load's packets. */
    static final int TYPE_ID = 0x5500;
    /** Expedited forwarding (RFC 3246): what the rule and the light connection write into the packets. */
    static final int DSCP = 46;

    private NodeText() {
    }

    /** @param light whether it takes light streams, instead of datagrams by rules */
    static String of(Way way, KernelTestbed.Middle middle, boolean light) {
        InetSocketAddress server = new InetSocketAddress(middle.server(), LoadServer.PORT);
        StringBuilder text = new StringBuilder();
        text.append("routes: {\"").append(middle.delivery().ipv4Subnet()).append("\": \"").append(hostPort(server)).append("\"}\n");
        text.append("code: none\n");
        text.append("kernel: {use: ").append(way.inKernel() ? "required" : "off").append(", interfaces: [")
                .append(middle.access().second().name()).append(", ").append(middle.delivery().first().name()).append("]}\n");
        if (light) {
            text.append("light: {listen: \"").append(hostPort(new InetSocketAddress(middle.address(), LIGHT)))
                    .append("\", connections: [{name: load, to: \"").append(hostPort(server)).append("\", dscp: ").append(DSCP).append("}]}\n");
        } else {
            rules(text, way.rules(), way.hasShapes());
        }
        return text.toString();
    }

    static String hostPort(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    /** The rule of the load's packets behind others, which match none of them: of its own shape, or of three other ones. */
    private static void rules(StringBuilder text, int count, boolean shapes) {
        text.append("rules:\n");
        for (int i = 0; i < count - 1; i++) {
            String match = !shapes ? "type: \"0x" + Integer.toHexString(TYPE_ID + 1 + i) + "\"" : switch (i % 3) {
                case 0 -> "source: 10.1" + i / 25_600 + "." + i / 100 % 256 + "." + i % 100 + "/32";
                case 1 -> "destination: 10.2" + i / 25_600 + "." + i / 100 % 256 + "." + i % 100 + "/32";
                default -> "session: \"" + Integer.toHexString(i + 1) + "\"";
            };
            text.append("  - {name: r").append(i).append(", match: {").append(match).append("}, actions: [drop]}\n");
        }
        text.append("  - {name: load, match: {type: \"0x").append(Integer.toHexString(TYPE_ID)).append("\"}, actions: [count, {dscp: ")
                .append(DSCP).append("}, forward]}\n");
    }
}
