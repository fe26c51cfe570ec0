package org.tamanoir.benchmarks.qos.edge;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.benchmarks.qos.Bottleneck;
import org.tamanoir.lab.FlowReceiver;
import org.tamanoir.lab.Flows;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.QosTestbed;

/**
 * The laboratory: real nodes on both routers, a DiffServ domain of five classes on the link between them, in the direction of the receivers. The
 * first sender and receiver have the flows that are watched, the second ones what disturbs them. QoSinus has no LBE to choose: a flow that needs nothing
 * better is best effort, as in the paper. The first node is given QoSinus, the second one
 * has it from the first.
 */
public final class EdgeLab implements AutoCloseable {
    private static final int PORT = 3322;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String[] SERVICES = {"qosinus", "qos-monitoring", "qos-decision", "qos-enforcement"};
    /** What the flood offers, in parts of the link: 250 %. */
    private static final double FLOOD = 2.5;
    private static final int FLOOD_OCTETS = 1400;
    /** Shares of EF, AF-TCP and AF-UDP; of them so much is given to sessions: a class also carries probes, and the link counts Ethernet headers. */
    private static final double GIVEN = 0.93;
    private static final double EF = 0.30;
    private static final double AF_TCP = 0.30;
    private static final double AF_UDP = 0.20;

    private final TemporaryFolder files = new TemporaryFolder();
    private final QosTestbed testbed;
    private final long rate;
    private final EdgeNode ingress;
    private final FlowReceiver flows;
    private final FlowReceiver flooded;

    /**
     * Starts everything.
     *
     * @param rate   bits a second of the link, Ethernet headers included
     * @param period of monitoring and of choices
     * @param probes further options of the monitoring: {@code , octets: 1400}; empty for none
     */
    public EdgeLab(long rate, Duration period, String probes) {
        this.rate = rate;
        testbed = QosTestbed.open(2, 2);
        try {
            Bottleneck.forward(testbed).apply(String.format(Locale.ROOT, "{rate: %dbit, classes: {ef: {rate: 30%%, queue: 5ms}, af-tcp: {rate: 30%%, "
                    + "queue: 50ms}, af-udp: {rate: 20%%, queue: 20ms}, be: {rate: 19%%, queue: 100ms}, lbe: {rate: 1%%, queue: 100ms}}}", rate));
            String far = testbed.bottleneck().second().ipv4().getHostAddress();
            String near = testbed.bottleneck().first().ipv4().getHostAddress();
            ingress = EdgeNode.start(testbed.ingress(), files.folder("ingress"), node(far + ":" + PORT) + options(period, probes));
            for (String service : SERVICES) {
                ingress.deploy(CommandLineTool.bundle(service));
            }
            EdgeNode.start(testbed.egress(), files.folder("egress"), node("direct") + "neighbours: ['" + near + ":3324']\n");
            flows = FlowReceiver.start(testbed.delivery(1).second());
            flooded = FlowReceiver.start(testbed.delivery(2).second());
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private String node(String next) {
        return "listen: '[::]:" + PORT + "'\ncode: '[::]:3324'\nroutes: {" + testbed.delivery(1).ipv4Subnet() + ": '" + next + "', "
                + testbed.delivery(2).ipv4Subnet() + ": '" + next + "'}\n";
    }

    private String options(Duration period, String probes) {
        return String.format(Locale.ROOT, "services:\n  qosinus: {ef: %.0fbit, af-tcp: %.0fbit, af-udp: %.0fbit, lbe: false, period: %dms}\n"
                + "  qos-monitoring: {period: %dms%s}\n", GIVEN * EF * rate, GIVEN * AF_TCP * rate, GIVEN * AF_UDP * rate, period.toMillis(),
                period.toMillis(), probes);
    }

    public QosTestbed testbed() {
        return testbed;
    }

    /** At the first receiver. */
    public FlowReceiver receiver() {
        return flows;
    }

    /** Where applications find the first node. */
    public InetSocketAddress via() {
        return new InetSocketAddress(testbed.access(1).second().ipv4(), PORT);
    }

    /** A port of the first receiver. */
    public InetSocketAddress to(int port) {
        return new InetSocketAddress(testbed.delivery(1).second().ipv4(), port);
    }

    /** Opens a session at the first sender for a port of the first receiver. @param level as {@code qos open} takes it */
    public OpenSession open(int port, boolean udp, String level) {
        return OpenSession.open(testbed.sender(1), ingress, via(), to(port), true, udp, level);
    }

    /** Waits until the services of QoSinus are there and have samples of every class. */
    public void awaitMeasured(OpenSession session) {
        session.await(PATIENCE, shown -> shown.path("state").asText().equals("met"));
    }

    /** What the first node shows. */
    public JsonNode inspect(String path) {
        return ingress.get(path);
    }

    /** Best effort from the second sender to the second receiver, 250 % of the link; it ends by itself. */
    public Flows.Flow flood(double seconds) {
        return Flows.datagrams(testbed.sender(2), flooded, 0, FLOOD_OCTETS, FLOOD * rate, seconds);
    }

    /** Starts a command of the application at the first sender. */
    public LabProcess start(String title, String... arguments) {
        return testbed.sender(1).start(title, CommandLineTool.command(arguments));
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
