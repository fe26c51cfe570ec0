package org.tamanoir.benchmarks.qos;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.load.LoadNetwork.Taken;
import org.tamanoir.benchmarks.load.LoadTool;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.qos.CostLab.Side;
import org.tamanoir.benchmarks.qos.edge.OpenSession;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.lab.LabException;

/**
 * What marking and policing cost, and how exact policing is ({@link Policing}). The load goes through each way, one directly after the other in an order
 * that turns, all on one CPU, which is never idle. Packets for each second of CPU time of client, node, server and soft interrupts together are the rate
 * of a machine with one CPU that nobody else uses; beside them stands the CPU time of the node's own process for each packet.
 */
public final class Cost extends MeasuredOutcome {
    private static final int ROUNDS = 9;
    private static final int QUICK_ROUNDS = 3;
    private static final Duration RUN = Duration.ofMillis(600);
    private static final Duration FIRST_RUN = RUN.multipliedBy(5);
    private static final Duration WARM = Duration.ofMillis(200);
    private static final double POLICED_SECONDS = 20;
    private static final double QUICK_POLICED_SECONDS = 5;
    private static final String CPU = "0";
    private static final int WINDOW = 32;
    private static final double NANOS = 1e9;

    private static final double LEFT = 0.95;
    /** What marking may add to the node's own time: 5 % of the whole are a fifth of a node that is a quarter of it. */
    static final double OWN = 1.2;
    private static final double ERROR_PERCENT = 0.1;

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

        final int typeId;
        private final String name;

        Way(String name, int typeId) {
            this.name = name;
            this.typeId = typeId;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /**
     * A load whose ways are compared.
     *
     * @param kernel whether the kernel helps the node that it goes through; datagrams only
     * @param octets of a packet
     */
    record Case(boolean kernel, boolean udp, int octets) {
        /** One of each session. */
        private static final List<Case> FIRST = List.of(new Case(true, true, 1400), new Case(false, true, 1400), new Case(false, false, 8192));
        static final List<Case> ALL = List.of(FIRST.get(0), FIRST.get(1), FIRST.get(2), new Case(false, false, 60000));

        private List<Way> ways() {
            return kernel ? List.of(Way.RULE, Way.SESSION) : udp ? List.of(Way.values()) : List.of(Way.FORWARD, Way.NO_SESSION, Way.SESSION);
        }

        /** What marks nothing: the same rule without the mark and the meter; on TCP a service that passes packets on. */
        private Way base() {
            return udp ? Way.RULE : Way.FORWARD;
        }

        private Key key(Way way, String metric, String unit) {
            return new Key((udp ? "cost-udp-" : "cost-tcp-") + CostLab.name(kernel), way.toString(), octets, 1, metric, unit);
        }

        /** Packets for each second of CPU time, of what marks nothing. */
        Key ratio(Way way) {
            return key(way, "per-cpu-of-" + base(), "ratio");
        }

        /** CPU time of the node's process for a packet, of what marks nothing. Where the kernel does the work, the process has nothing to do. */
        Key ownRatio(Way way) {
            return key(way, "node-cpu-of-" + base(), "ratio");
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

    private int turn;

    Cost(Measurements measured) {
        super("cost", measured);
    }

    public static Outcome run(QosPlan plan, Consumer<String> progress) {
        Measurements measured = new Measurements(progress);
        Cost cost = new Cost(measured);
        try (CostLab lab = new CostLab()) {
            for (Side side : lab.sides()) {
                measured.rounds(0, plan.runs(), run -> measured.attempt("policing in the " + side + ", " + Measurements.name(run),
                        () -> Policing.run(lab, side, plan.quick() ? QUICK_POLICED_SECONDS : POLICED_SECONDS, measured)));
            }
            measured.attempt("cost", () -> {
                cost.prepare(lab);
                measured.rounds(0, (plan.quick() ? QUICK_ROUNDS : ROUNDS) * plan.runs(), round -> {
                    measured.doing(Measurements.name(round));
                    Case.ALL.forEach(each -> cost.compare(lab, each));
                });
            });
        }
        return cost;
    }

    /** Opens the sessions and carries packets every way until the nodes' programs are compiled and the flows are in EF. */
    private void prepare(CostLab lab) {
        lab.load().tree().pin(CPU);
        lab.sides().forEach(side -> side.node.tree().pin(CPU));
        for (Case each : Case.FIRST) {
            Side side = lab.side(each.kernel);
            measured.doing(side + ": opening a session over " + (each.udp ? "UDP" : "TCP"));
            OpenSession session = side.load(each.udp);
            for (Way way : each.ways()) {
                measured.doing(side + ": first packets, " + way);
                run(lab, each, way, FIRST_RUN, true);
            }
            // Monitoring has had the time of the first packets; the flow is not at rest for an hour.
            side.awaitEf(session, each.udp);
            run(lab, each, Way.SESSION, FIRST_RUN, false);
        }
    }

    private void compare(CostLab lab, Case each) {
        Map<Way, Run> runs = new EnumMap<>(Way.class);
        for (Way way : Measurements.turned(each.ways(), turn++)) {
            runs.put(way, run(lab, each, way, RUN, false));
        }
        Run base = runs.get(each.base());
        runs.forEach((way, run) -> {
            measured.add(each.key(way, "packets-per-cpu", "1/s"), run.perSecond);
            measured.add(each.key(way, "node-cpu", "ns/packet"), run.ownNanos);
            if (way != each.base()) {
                measured.add(each.ratio(way), run.perSecond / base.perSecond);
                if (!each.kernel) {
                    measured.add(each.ownRatio(way), run.ownNanos / base.ownNanos);
                }
            }
        });
    }

    private static Run run(CostLab lab, Case each, Way way, Duration length, boolean check) {
        Side side = lab.side(each.kernel);
        try {
            Taken taken = lab.run(CPU, new LoadTool.Client(each.udp ? "udp-window" : "tcp-blast", side.entry, side.server.getAddress(), each.octets,
                    length, WARM, LoadTool.Client.ANY_HOPS, WINDOW, check && each.udp, Integer.toString(way.typeId),
                    way == Way.SESSION ? side.load(each.udp).name() : "0"), side.node.pid());
            long packets = taken.client().get("all");
            if (packets == 0) {
                throw new LabException("no packet came through");
            }
            return new Run(packets * NANOS / taken.wholeNanos(), taken.nodeNanos() / packets);
        } catch (LabException e) {
            throw new LabException(side + ", " + way + ": " + e.getMessage(), e);
        }
    }

    @Override
    public List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        for (Case each : Case.ALL) {
            targets.add(Target.atLeast("cost: " + (each.udp ? "datagrams that are metered and marked by a rule in the " + CostLab.name(each.kernel)
                    + ", of those that only a rule counts" : "a stream of " + each.octets + " octets that is metered and marked, of one that is forwarded"),
                    samples().median(each.ratio(Way.SESSION)), LEFT));
            if (!each.kernel) {
                targets.add(Target.atMost("cost: the node's own CPU time for such a " + (each.udp ? "datagram, of one that only a rule counts"
                        : "stream of " + each.octets + " octets, of one that is forwarded"), samples().median(each.ownRatio(Way.SESSION)), OWN));
            }
        }
        for (boolean kernel : new boolean[] {true, false}) {
            Double error = samples().of(Policing.error(kernel)).stream().map(Math::abs).max(Double::compare).orElse(null);
            targets.add(Target.atMost("policing in the " + CostLab.name(kernel) + ", error of the rate in percent, the largest", error, ERROR_PERCENT));
        }
        return targets;
    }

    @Override
    public void print(PrintWriter out) {
        out.println("Cost of marking and policing. packets-per-cpu: for each second of CPU time of client, node, server and soft interrupts, on one CPU; "
                + "node-cpu: CPU time of the node's own process. Ratios are to what marks nothing.");
        out.printf(Locale.ROOT, "Policing at %.0f Mbit/s of IP packets, one and a half times as much offered.%n", Policing.COMMITTED * 8 / 1e6);
        super.print(out);
        out.println();
    }
}
