package org.tamanoir.benchmarks.qos.cost;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.qos.cost.Cost.Way;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Target;

/** Ratios and errors, and what follows from them. */
final class CostOutcome extends MeasuredOutcome {
    static final List<String> SIDES = List.of("kernel", "node");
    private static final double LEFT = 0.95;
    /** What marking may add to the node's own time: 5 % of the whole are a fifth of a node that is a quarter of it. */
    static final double OWN = 1.2;
    private static final double ERROR_PERCENT = 0.1;

    CostOutcome(Measurements measured) {
        super("cost", measured);
    }

    private static Key key(String side, Way way, boolean udp, int octets, String metric, String unit) {
        return new Key((udp ? "cost-udp-" : "cost-tcp-") + side, way.toString(), octets, 1, metric, unit);
    }

    /** Packets for each second of CPU time of client, node, server and soft interrupts. */
    static Key perSecond(String side, Way way, boolean udp, int octets) {
        return key(side, way, udp, octets, "packets-per-cpu", "1/s");
    }

    /** The same, of what marks nothing. */
    static Key ratio(String side, Way way, boolean udp, int octets) {
        return key(side, way, udp, octets, "per-cpu-of-" + Way.base(udp), "ratio");
    }

    /** CPU time of the node's process for a packet. */
    static Key own(String side, Way way, boolean udp, int octets) {
        return key(side, way, udp, octets, "node-cpu", "ns/packet");
    }

    /** The same, of what marks nothing; where the kernel does the work, the process has nothing to do. */
    static Key ownRatio(Way way, boolean udp, int octets) {
        return key("node", way, udp, octets, "node-cpu-of-" + Way.base(udp), "ratio");
    }

    static Key error(String side) {
        return new Key("policing", side, 0, 1, "rate-error", "%");
    }

    static Key offered(String side) {
        return new Key("policing", side, 0, 1, "offered", "of committed rate");
    }

    @Override
    public List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        for (String side : SIDES) {
            targets.add(Target.atLeast("cost: datagrams that are metered and marked by a rule in the " + side + ", of those that only a rule counts",
                    samples().median(ratio(side, Way.SESSION, true, Cost.DATAGRAM)), LEFT));
        }
        targets.add(Target.atMost("cost: the node's own CPU time for such a datagram, of one that only a rule counts",
                samples().median(ownRatio(Way.SESSION, true, Cost.DATAGRAM)), OWN));
        for (int octets : Cost.FRAMES) {
            targets.add(Target.atLeast("cost: a stream of " + octets + " octets that is metered and marked, of one that is forwarded",
                    samples().median(ratio("node", Way.SESSION, false, octets)), LEFT));
            targets.add(Target.atMost("cost: the node's own CPU time for such a stream of " + octets + " octets, of one that is forwarded",
                    samples().median(ownRatio(Way.SESSION, false, octets)), OWN));
        }
        for (String side : SIDES) {
            Double error = samples().of(error(side)).stream().map(Math::abs).max(Double::compare).orElse(null);
            targets.add(Target.atMost("policing in the " + side + ", error of the rate in percent, the largest", error, ERROR_PERCENT));
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
