package org.tamanoir.benchmarks.qos.cost;

import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.load.LoadFigures;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.process.CpuTime;
import org.tamanoir.benchmarks.process.SoftInterrupts;
import org.tamanoir.benchmarks.qos.QosPlan;
import org.tamanoir.benchmarks.qos.cost.CostLab.Side;
import org.tamanoir.benchmarks.qos.edge.OpenSession;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.LabException;

/**
 * What marking and policing cost, and how exact policing is ({@link Policing}). The load goes through each way, one directly after the other in an order
 * that turns, all on one CPU, which is never idle. Packets for each second of CPU time of client, node, server and soft interrupts together are the rate
 * of a machine with one CPU that nobody else uses; beside them stands the CPU time of the node's own process for each packet.
 */
public final class Cost {
    static final int DATAGRAM = 1400;
    static final List<Integer> FRAMES = List.of(8192, 60000);

    private static final int ROUNDS = 9;
    private static final int QUICK_ROUNDS = 3;
    private static final double SECONDS = 0.6;
    private static final double POLICED_SECONDS = 20;
    private static final double QUICK_POLICED_SECONDS = 5;
    private static final String CPU = "0";
    private static final int WINDOW = 32;
    private static final int ANY_HOPS = -1;
    private static final double WARM = 0.2;
    private static final Duration MARGIN = Duration.ofSeconds(20);
    private static final double NANOS = 1e9;

    /** How a node treats the packets of the load. */
    enum Way {
        /** The service forward passes them on. */
        FORWARD("forward", 0x5401),
        /** A light rule of the operator counts them and sends them on: no mark, no meter. */
        RULE("rule", 0x5500),
        /** Type ID of QoSinus, and no session: marked as best effort by the handler. */
        NO_SESSION("qosinus-no-session", 0x5404),
        /** In a session in the class EF: metered by a token bucket and marked, by a light rule (UDP) or by the handler (TCP). */
        SESSION("qosinus-session", 0x5404);

        private static final List<Way> UDP_NODE = List.of(FORWARD, RULE, NO_SESSION, SESSION);
        private static final List<Way> UDP_KERNEL = List.of(RULE, SESSION);
        private static final List<Way> TCP = List.of(FORWARD, NO_SESSION, SESSION);

        private final String name;
        private final int typeId;

        Way(String name, int typeId) {
            this.name = name;
            this.typeId = typeId;
        }

        /** What the packets of a side can be treated as. */
        static List<Way> of(Side side, boolean udp) {
            return !udp ? TCP : side.isKernel() ? UDP_KERNEL : UDP_NODE;
        }

        /** What marks nothing: the same rule without the mark and the meter; on TCP a service that passes packets on. */
        static Way base(boolean udp) {
            return udp ? RULE : FORWARD;
        }

        int typeId() {
            return typeId;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /**
     * What one run has shown.
     *
     * @param perSecond packets for each second of CPU time of everything
     * @param ownNanos  CPU time of the node's process for each packet
     */
    private record Run(double perSecond, double ownNanos) {
    }

    private final CostLab lab;
    private final Measurements measured;
    private final SoftInterrupts softInterrupts = new SoftInterrupts();
    private final Map<String, OpenSession> sessions = new HashMap<>();
    private int turn;

    private Cost(CostLab lab, Measurements measured) {
        this.lab = lab;
        this.measured = measured;
    }

    /** As a {@link org.tamanoir.benchmarks.parts.Part}. */
    public static Outcome run(QosPlan plan, Consumer<String> progress) {
        Measurements measured = new Measurements(progress);
        try (CostLab lab = new CostLab()) {
            for (Side side : lab.sides()) {
                measured.rounds(0, plan.runs(), run -> measured.attempt("policing in the " + side + ", " + Measurements.name(run),
                        () -> Policing.run(lab, side, plan.quick() ? QUICK_POLICED_SECONDS : POLICED_SECONDS, measured)));
            }
            Cost cost = new Cost(lab, measured);
            measured.attempt("cost", () -> {
                cost.prepare();
                for (int round = 0; round < (plan.quick() ? QUICK_ROUNDS : ROUNDS) * plan.runs(); round++) {
                    measured.doing(Measurements.name(round));
                    cost.round();
                }
            });
        }
        return new CostOutcome(measured);
    }

    /** Opens the sessions and carries packets every way until the nodes' programs are compiled and the flows are in EF. */
    private void prepare() {
        lab.server().tree().pin(CPU);
        for (Side side : lab.sides()) {
            side.node().tree().pin(CPU);
            for (boolean udp : side.isKernel() ? new boolean[] {true} : new boolean[] {true, false}) {
                measured.doing(side + ": opening a session over " + (udp ? "UDP" : "TCP"));
                OpenSession session = side.open(udp);
                sessions.put(side.toString() + udp, session);
                int octets = udp ? DATAGRAM : FRAMES.get(0);
                for (Way way : Way.of(side, udp)) {
                    measured.doing(side + ": first packets, " + way);
                    run(side, way, udp, octets, 5 * SECONDS, true);
                }
                // Monitoring has had the time of the first packets; the flow is not at rest for an hour.
                side.awaitEf(session, udp);
                run(side, Way.SESSION, udp, octets, 5 * SECONDS, false);
            }
        }
    }

    private void round() {
        for (Side side : lab.sides()) {
            compare(side, true, DATAGRAM);
        }
        FRAMES.forEach(octets -> compare(lab.node(), false, octets));
    }

    private void compare(Side side, boolean udp, int octets) {
        Map<Way, Run> runs = new EnumMap<>(Way.class);
        for (Way way : Measurements.turned(Way.of(side, udp), turn++)) {
            runs.put(way, run(side, way, udp, octets, SECONDS, false));
        }
        Way base = Way.base(udp);
        runs.forEach((way, run) -> {
            measured.add(CostOutcome.perSecond(side.toString(), way, udp, octets), run.perSecond);
            measured.add(CostOutcome.own(side.toString(), way, udp, octets), run.ownNanos);
            if (way != base) {
                measured.add(CostOutcome.ratio(side.toString(), way, udp, octets), run.perSecond / runs.get(base).perSecond);
                if (!side.isKernel()) {
                    measured.add(CostOutcome.ownRatio(way, udp, octets), run.ownNanos / runs.get(base).ownNanos);
                }
            }
        });
    }

    private Run run(Side side, Way way, boolean udp, int octets, double length, boolean check) {
        OpenSession session = sessions.get(side.toString() + udp);
        List<String> command = lab.tool().command(CPU, udp ? "udp-window" : "tcp-blast", side.entry().getAddress().getHostAddress(),
                Integer.toString(side.entry().getPort()), side.server().getAddress().getHostAddress(), Integer.toString(octets), Double.toString(length),
                Double.toString(WARM), Integer.toString(ANY_HOPS), Integer.toString(WINDOW), check && udp ? "check" : "echo",
                Integer.toString(way.typeId()), way == Way.SESSION ? session.name() : "0");
        CpuTime nodeBefore = CpuTime.of(side.node().pid());
        double before = lab.server().count().get("cpu") + softInterrupts.nanos();
        Command.Result result = lab.client().tryRun(Duration.ofMillis((long) (1000 * (length + WARM))).plus(MARGIN), command.toArray(String[]::new));
        double busy = lab.server().count().get("cpu") + softInterrupts.nanos() - before;
        double own = CpuTime.of(side.node().pid()).since(nodeBefore) * NANOS;
        if (result.exit() != 0) {
            throw new LabException(side + ", " + way + ": " + result.errors().strip());
        }
        LoadFigures figures = LoadFigures.of(result.output());
        if (figures.get("all") == 0) {
            throw new LabException(side + ", " + way + ": no packet came through");
        }
        return new Run(figures.get("all") * NANOS / (busy + own + figures.get("cpu")), own / figures.get("all"));
    }
}
