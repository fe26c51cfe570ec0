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
 * Nodes at both edges of an {@link EdgeNetwork}. QoSinus has no LBE to choose: a flow that needs nothing better is best effort, as in the paper. The
 * first node is given QoSinus, the second one has it from the first.
 */
public final class EdgeLab implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String[] SERVICES = {"qosinus", "qos-monitoring", "qos-decision", "qos-enforcement"};
    /** What the flood offers, in parts of the link: 250 %. */
    private static final double FLOOD = 2.5;
    /** What is given to sessions of the link for EF, AF-TCP and AF-UDP: 93 % of their shares, since a class also carries probes, and the link counts Ethernet headers. */
    private static final double EF = 0.93 * 0.30;
    private static final double AF_TCP = 0.93 * 0.30;
    private static final double AF_UDP = 0.93 * 0.20;

    private final TemporaryFolder files = new TemporaryFolder();
    private final EdgeNetwork network;
    private final NodeProcess ingress;
    private final FlowReceiver flows;

    /**
     * Starts everything.
     *
     * @param rate   bits a second of the link, Ethernet headers included
     * @param period of monitoring and of choices
     * @param probes further options of the monitoring: {@code , octets: 1400}; empty for none
     */
    public EdgeLab(long rate, Duration period, String probes) {
        network = new EdgeNetwork(rate);
        try {
            ingress = NodeProcess.start(testbed().ingress(), files.folder("ingress"), network.ingress() + String.format(Locale.ROOT,
                    "services:%n  qosinus: {ef: %.0fbit, af-tcp: %.0fbit, af-udp: %.0fbit, lbe: false, period: %dms}%n  qos-monitoring: {period: %dms%s}%n",
                    EF * rate, AF_TCP * rate, AF_UDP * rate, period.toMillis(), period.toMillis(), probes));
            for (String service : SERVICES) {
                ingress.deploy(CommandLineTool.bundle(service));
            }
            NodeProcess.start(testbed().egress(), files.folder("egress"), network.egress());
            flows = FlowReceiver.start(testbed().delivery(1).second());
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    public QosTestbed testbed() {
        return network.testbed();
    }

    /** At the first receiver. */
    public FlowReceiver receiver() {
        return flows;
    }

    /** Opens a session at the first sender for a port of the first receiver. @param level as {@code qos open} takes it */
    public OpenSession open(int port, boolean udp, String level) {
        return OpenSession.open(testbed().sender(1), ingress, network.via(), network.to(port), true, udp, level);
    }

    /** Starts the round trips of a session. */
    public SessionTrips trips(OpenSession session, Duration interval) {
        return SessionTrips.start(testbed().sender(1), network.via(), network.to(FlowReceiver.ECHO_PORT), session.code(), interval);
    }

    /** Waits until the services of QoSinus are there and have samples of every class. */
    public void awaitMeasured(OpenSession session) {
        session.await(PATIENCE, shown -> shown.path("state").asText().equals("met"));
    }

    /** Best effort from the second sender to the second receiver, 250 % of the link; it ends by itself. */
    public Flows.Flow flood(double seconds) {
        return network.flood(FLOOD, seconds);
    }

    /** A folder for files of the application. */
    public Path folder() {
        return files.folder("application");
    }

    @Override
    public void close() {
        network.close();
        files.close();
    }
}
