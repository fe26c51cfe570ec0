package org.tamanoir.benchmarks.qos.edge;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.TemporaryFolder;
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
    /** What a flood offers, in parts of the link: 250 %. */
    public static final double FLOOD = 2.5;
    private static final int FLOOD_OCTETS = 1400;
    private static final String[] SERVICES = {"qosinus", "qos-monitoring", "qos-decision", "qos-enforcement"};
    /** What is given to sessions of a class's share: a class also carries probes, and the link counts Ethernet headers. */
    private static final double OF_SHARE = 0.93;

    private final QosTestbed testbed = QosTestbed.open(2, 2);
    private final TemporaryFolder files = new TemporaryFolder();
    private final long rate;
    private final FlowReceiver flooded;
    private NodeProcess ingress;
    private FlowReceiver receiver;

    /** @param rate bits a second of the link, Ethernet headers included */
    public EdgeNetwork(long rate) {
        this.rate = rate;
        try {
            Bottleneck.apply(testbed, "{rate: %dbit, classes: {ef: {rate: 30%%, queue: 5ms}, af-tcp: {rate: 30%%, queue: 50ms}, "
                    + "af-udp: {rate: 20%%, queue: 20ms}, be: {rate: 19%%, queue: 100ms}, lbe: {rate: 1%%, queue: 100ms}}}", rate);
            flooded = FlowReceiver.start(testbed.delivery(2).second());
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /**
     * With a node at both edges and a receiver of flows. QoSinus has no LBE to choose: a flow that needs nothing better is best effort, as in the paper.
     * The first node is given QoSinus, the second one has it from the first.
     *
     * @param period of monitoring and of choices
     * @param probes further options of the monitoring: {@code , octets: 1400}; empty for none
     */
    public static EdgeNetwork withNodes(long rate, Duration period, String probes) {
        EdgeNetwork network = new EdgeNetwork(rate);
        try {
            network.startNodes(period.toMillis(), probes);
            return network;
        } catch (RuntimeException e) {
            network.close();
            throw e;
        }
    }

    private void startNodes(long period, String probes) {
        ingress = NodeProcess.start(testbed.ingress(), files.folder("ingress"), ingress() + String.format(Locale.ROOT,
                "services:%n  qosinus: {ef: %.0fbit, af-tcp: %.0fbit, af-udp: %.0fbit, lbe: false, period: %dms}%n  qos-monitoring: {period: %dms%s}%n",
                OF_SHARE * 0.30 * rate, OF_SHARE * 0.30 * rate, OF_SHARE * 0.20 * rate, period, period, probes));
        for (String service : SERVICES) {
            ingress.deploy(CommandLineTool.bundle(service));
        }
        NodeProcess.start(testbed.egress(), files.folder("egress"), egress());
        receiver = FlowReceiver.start(testbed.delivery(1).second());
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

    /** At the first receiver. */
    public FlowReceiver receiver() {
        return receiver;
    }

    /** Opens a session at the first sender for a port of the first receiver. @param level as {@code qos open} takes it */
    public OpenSession open(int port, boolean udp, String level) {
        return OpenSession.open(testbed.sender(1), ingress, via(), to(port), true, udp, level);
    }

    /** Starts the round trips of a session. */
    public SessionTrips trips(OpenSession session, Duration interval) {
        return SessionTrips.start(testbed.sender(1), via(), to(FlowReceiver.ECHO_PORT), session.code(), interval);
    }

    /** Best effort from the second sender to the second receiver; it ends by itself. @param parts of the rate of the link that it offers */
    public Flows.Flow flood(double parts, double seconds) {
        return Flows.datagrams(testbed.sender(2), flooded, 0, FLOOD_OCTETS, parts * rate, seconds);
    }

    /** A folder for files of the application. */
    public Path folder() {
        return files.folder("application");
    }

    @Override
    public void close() {
        testbed.close();
        files.close();
    }
}
