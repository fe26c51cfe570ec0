package org.tamanoir.benchmarks.relay;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.benchmarks.load.LoadFigures;
import org.tamanoir.benchmarks.load.LoadServer;
import org.tamanoir.benchmarks.load.LoadTool;
import org.tamanoir.benchmarks.load.StreamKind;
import org.tamanoir.benchmarks.process.ProcessTree;
import org.tamanoir.benchmarks.relay.RelayCase.Metric;
import org.tamanoir.benchmarks.relay.RelayCase.Work;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.Port;

/** Datagrams between client and server, with programs in C: a JVM at both ends would cost more than a datagram between them. */
final class DatagramLoad implements RelayLoad {
    private static final Map<Work, String> PROGRAMS = Map.of(Work.ECHOES, "udp-window", Work.ONE_WAY, "udp-blast",
            Work.DATAGRAM_TRIPS, "udp-trip");
    private static final int WINDOW = 32;
    private static final String NO_SESSION = "0";
    /** A node takes one of the hops that a datagram has, a peer leaves them all. */
    private static final String ANY_HOPS = "-1";
    private static final Duration WARM_UP = Duration.ofMillis(300);
    private static final Duration MARGIN = Duration.ofSeconds(20);

    private final RelayPlan plan;
    private final LoadTool tool = LoadTool.make();
    private final Host client;
    private final InetSocketAddress destination;
    private final LoadServer server;

    DatagramLoad(RelayPlan plan, Host client, Port server) {
        this.plan = plan;
        this.client = client;
        this.destination = new InetSocketAddress(server.ipv4(), LoadServer.PORT);
        this.server = LoadServer.start(server.host(), tool);
    }

    @Override
    public List<InetSocketAddress> destinations() {
        return List.of(destination);
    }

    @Override
    public String placement() {
        return "round trips: all on one CPU; otherwise client and server apart, the relay wherever there is room";
    }

    @Override
    public void check(RelaySystem system, int packet) {
        run(system, new RelayCase(Work.ECHOES, packet, 1), true);
    }

    @Override
    public Map<Metric, Double> measure(RelayCase what, RelaySystem system) {
        double cpuBefore = cpuSeconds(system);
        LoadFigures figures = run(system, what, false);
        double cpu = cpuSeconds(system) - cpuBefore;
        Map<Metric, Double> found = new EnumMap<>(Metric.class);
        if (what.work() == Work.ONE_WAY) {
            return oneWay(system, figures.get("sent"), server.count());
        }
        if (what.work().isTrips()) {
            found.put(Metric.P50, figures.get("p50") / 1e3);
            found.put(Metric.P99, figures.get("p99") / 1e3);
            return found;
        }
        found.put(Metric.ECHOES, figures.perSecond("echoed"));
        // Of socat the process that has the flow comes and goes within the run, and its time with it.
        if (!system.processes().isEmpty() && system.kind() != RelayKind.SOCAT) {
            found.put(Metric.CPU_EACH, cpu * 1e6 / figures.get("all"));
        }
        return found;
    }

    private static Map<Metric, Double> oneWay(RelaySystem system, long sent, LoadFigures count) {
        double came = count.get("packets");
        if (came == 0 || came > sent) {
            throw new LabException("sent " + sent + "; " + count);
        }
        // A relay with several workers on one socket may let datagrams overtake each other; a node may not.
        if (count.get("disorder") > 0 && system.kind() != RelayKind.NGINX) {
            throw new LabException("datagrams have overtaken each other: " + count);
        }
        return Map.of(Metric.RECEIVED, count.perSecond("packets"), Metric.LOST, 1 - came / sent,
                Metric.DISORDER, count.get("disorder") / came);
    }

    /** @param intact whether every octet of every echo is compared */
    private LoadFigures run(RelaySystem system, RelayCase what, boolean intact) {
        boolean trips = what.work().isTrips();
        server.tree().pin(trips ? "0" : ProcessTree.allCpus().contains("1") ? "1" : "0");
        system.processes().forEach(process -> process.pin(trips ? "0" : ProcessTree.allCpus()));
        List<String> command = tool.command("0", PROGRAMS.get(what.work()), system.load().getAddress().getHostAddress(),
                Integer.toString(system.load().getPort()), destination.getAddress().getHostAddress(), Integer.toString(what.packet()),
                seconds(plan.run()), seconds(WARM_UP), ANY_HOPS, Integer.toString(trips ? 1 : WINDOW), intact ? "check" : "echo",
                Integer.toString(StreamKind.MONITORING.typeId()), NO_SESSION);
        Command.Result result = client.tryRun(plan.run().plus(WARM_UP).plus(MARGIN), command.toArray(String[]::new));
        if (result.exit() != 0) {
            throw new LabException(result.errors().strip());
        }
        LoadFigures figures = LoadFigures.of(result.output());
        if (what.work() != Work.ONE_WAY && figures.get("stray") > 0) {
            throw new LabException(figures + ": echoes that are not what was sent");
        }
        return figures;
    }

    private static double cpuSeconds(RelaySystem system) {
        return system.processes().stream().mapToDouble(ProcessTree::cpuSeconds).sum();
    }

    private static String seconds(Duration duration) {
        return Double.toString(duration.toMillis() / 1000.0);
    }
}
