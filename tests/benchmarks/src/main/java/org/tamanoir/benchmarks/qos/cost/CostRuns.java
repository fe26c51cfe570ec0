package org.tamanoir.benchmarks.qos.cost;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.kernel.LoadFigures;
import org.tamanoir.benchmarks.kernel.SoftInterrupts;
import org.tamanoir.benchmarks.qos.edge.OpenSession;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.LabException;

/**
 * The load through each way, one directly after the other in an order that turns, all on one CPU, which is never idle: what is compared is packets for
 * each second of CPU time of client, node, server and soft interrupts together, which is the rate of a machine with one CPU that nobody else uses.
 */
final class CostRuns {
    static final int DATAGRAM = 1400;
    static final List<Integer> FRAMES = List.of(8192, 60000);
    static final String UDP = "cost-udp-";
    static final String TCP = "cost-tcp-";

    private static final String CPU = "0";
    private static final int WINDOW = 32;
    private static final int ANY_HOPS = -1;
    private static final double WARM = 0.2;
    private static final Duration MARGIN = Duration.ofSeconds(20);

    private final CostLab lab;
    private final double seconds;
    private final Samples samples;
    private final SoftInterrupts softInterrupts = new SoftInterrupts();
    private final Map<String, OpenSession> sessions = new HashMap<>();
    private int turn;

    CostRuns(CostLab lab, double seconds, Samples samples) {
        this.lab = lab;
        this.seconds = seconds;
        this.samples = samples;
    }

    /** Opens the sessions and carries packets every way until the nodes' programs are compiled and the flows are in EF. */
    void prepare(Consumer<String> progress) {
        lab.server().tree().pin(CPU);
        for (Side side : lab.sides()) {
            side.node().tree().pin(CPU);
            for (boolean udp : side.isKernel() ? new boolean[] {true} : new boolean[] {true, false}) {
                progress.accept(side + ": opening a session over " + (udp ? "UDP" : "TCP"));
                OpenSession session = side.open(udp);
                sessions.put(side.toString() + udp, session);
                for (Way way : ways(side, udp)) {
                    progress.accept(side + ": first packets, " + way);
                    run(side, way, udp, udp ? DATAGRAM : FRAMES.get(0), 5 * seconds, true);
                }
                // Monitoring has had the time of the first packets; the flow is not at rest for an hour.
                side.awaitEf(session, udp);
                run(side, Way.SESSION, udp, udp ? DATAGRAM : FRAMES.get(0), 5 * seconds, false);
            }
        }
    }

    private static List<Way> ways(Side side, boolean udp) {
        return !udp ? Way.TCP : side.isKernel() ? Way.UDP_KERNEL : Way.UDP_NODE;
    }

    void round() {
        for (Side side : lab.sides()) {
            compare(UDP + side, side, true, DATAGRAM);
        }
        for (int octets : FRAMES) {
            compare(TCP + lab.node(), lab.node(), false, octets);
        }
    }

    private void compare(String what, Side side, boolean udp, int octets) {
        List<Way> turned = new ArrayList<>(ways(side, udp));
        Collections.rotate(turned, -turn++);
        Map<Way, Double> values = new EnumMap<>(Way.class);
        for (Way way : turned) {
            values.put(way, run(side, way, udp, octets, seconds, false));
        }
        values.forEach((way, value) -> samples.add(new Key(what, way.toString(), octets, 1, "packets-per-cpu", "1/s"), value));
        Way base = base(udp);
        values.forEach((way, value) -> {
            if (way != base) {
                samples.add(ratio(what, way, octets, udp), value / values.get(base));
            }
        });
    }

    /** What marks nothing: the same rule without the mark and the meter; on TCP a service that passes packets on. */
    private static Way base(boolean udp) {
        return udp ? Way.RULE : Way.FORWARD;
    }

    static Key ratio(String what, Way way, int octets, boolean udp) {
        return new Key(what, way.toString(), octets, 1, "per-cpu-of-" + base(udp), "ratio");
    }

    /** Packets a second of CPU time. */
    private double run(Side side, Way way, boolean udp, int octets, double length, boolean check) {
        OpenSession session = sessions.get(side.toString() + udp);
        List<String> command = lab.tool().command(CPU, udp ? "udp-window" : "tcp-blast", side.entry().getAddress().getHostAddress(),
                Integer.toString(side.entry().getPort()), side.server().getAddress().getHostAddress(), Integer.toString(octets), Double.toString(length),
                Double.toString(WARM), Integer.toString(ANY_HOPS), Integer.toString(WINDOW), check && udp ? "check" : "echo",
                Integer.toString(way.typeId()), way == Way.SESSION ? session.name() : "0");
        double before = others(side);
        Command.Result result = lab.client().tryRun(Duration.ofMillis((long) (1000 * (length + WARM))).plus(MARGIN), command.toArray(String[]::new));
        double busy = others(side) - before;
        if (result.exit() != 0) {
            throw new LabException(side + ", " + way + ": " + result.errors().strip());
        }
        LoadFigures figures = LoadFigures.of(result.output());
        return figures.get("all") * 1e9 / (busy + figures.get("cpu"));
    }

    /** CPU time of all but the client, nanoseconds. */
    private double others(Side side) {
        return lab.server().count().get("cpu") + side.node().tree().cpuSeconds() * 1e9 + softInterrupts.nanos();
    }
}
