package org.tamanoir.benchmarks.qos.edge;

import java.net.InetSocketAddress;
import org.tamanoir.benchmarks.qos.Bottleneck;
import org.tamanoir.lab.FlowReceiver;
import org.tamanoir.lab.Flows;
import org.tamanoir.lab.QosTestbed;

/**
 * Two sites, each with a place for a node at its edge, and between them a DiffServ domain of five classes in the direction of the receivers (active grid
 * paper, section 4.1). The first sender and receiver are those of the flows that are watched, the second ones of what disturbs them.
 */
public final class EdgeNetwork implements AutoCloseable {
    /** Of both nodes. */
    public static final int PORT = 3322;
    private static final int FLOOD_OCTETS = 1400;

    private final QosTestbed testbed = QosTestbed.open(2, 2);
    private final long rate;
    private final FlowReceiver flooded;

    /** @param rate bits a second of the link, Ethernet headers included */
    public EdgeNetwork(long rate) {
        this.rate = rate;
        try {
            Bottleneck.apply(testbed, "{rate: %dbit, classes: {ef: {rate: 30%%, queue: 5ms}, af-tcp: {rate: 30%%, queue: 50ms}, "
                    + "af-udp: {rate: 20%%, queue: 20ms}, be: {rate: 19%%, queue: 100ms}, lbe: {rate: 1%%, queue: 100ms}}}", rate);
            flooded = FlowReceiver.start(testbed.delivery(2).second());
        } catch (RuntimeException e) {
            testbed.close();
            throw e;
        }
    }

    /** The configuration of the node at the senders' edge, without services. */
    public String ingress() {
        return node(text(new InetSocketAddress(testbed.bottleneck().second().ipv4(), PORT)));
    }

    /** That of the node at the receivers' edge, which has its services from the first one. */
    public String egress() {
        return node("direct") + "neighbours: ['" + testbed.bottleneck().first().ipv4().getHostAddress() + ":3324']\n";
    }

    private String node(String next) {
        return "listen: '[::]:" + PORT + "'\ncode: '[::]:3324'\nroutes: {" + testbed.delivery(1).ipv4Subnet() + ": '" + next + "', "
                + testbed.delivery(2).ipv4Subnet() + ": '" + next + "'}\n";
    }

    public QosTestbed testbed() {
        return testbed;
    }

    /** Where applications find the first node. */
    public InetSocketAddress via() {
        return new InetSocketAddress(testbed.access(1).second().ipv4(), PORT);
    }

    /** A port of the first receiver. */
    public InetSocketAddress to(int port) {
        return new InetSocketAddress(testbed.delivery(1).second().ipv4(), port);
    }

    /** As the command line takes it. */
    public static String text(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    /**
     * Best effort from the second sender to the second receiver; it ends by itself.
     *
     * @param parts of the rate of the link that it offers, as 2.5
     */
    public Flows.Flow flood(double parts, double seconds) {
        return Flows.datagrams(testbed.sender(2), flooded, 0, FLOOD_OCTETS, parts * rate, seconds);
    }

    @Override
    public void close() {
        testbed.close();
    }
}
