package org.tamanoir.benchmarks.kernel;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.benchmarks.kernel.KernelPlan.Part;
import org.tamanoir.benchmarks.kernel.KernelPlan.Placement;
import org.tamanoir.benchmarks.kernel.KernelPlan.Way;
import org.tamanoir.benchmarks.kernel.KernelResults.Case;
import org.tamanoir.benchmarks.kernel.KernelResults.Run;
import org.tamanoir.benchmarks.load.LoadFigures;
import org.tamanoir.benchmarks.load.LoadNetwork.Taken;
import org.tamanoir.benchmarks.load.LoadTool;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabRequirements;

/**
 * Runs the plan: every round measures every case with every way, one way directly after the other and in an order that turns, so that
 * whatever changes on the machine meanwhile changes it for all.
 */
public final class KernelBench {
    /** MTU of the links that datagrams cross: the longest of them is not cut. */
    private static final int MTU_UDP = 9000;
    private static final int MTU_TCP = 1500;
    /** Before anything counts, each way carries packets for so many times the length of a measurement: for a node's process to be compiled. */
    private static final int BEFORE = 6;
    /** Of the time that a run takes, that a node's process may be busy where the kernel does the work: its own threads look at the clock. */
    private static final double IDLE = 0.25;
    private static final double NANOS = 1e9;

    private final KernelPlan plan;
    private final LoadTool tool;
    private final Measurements measured;
    private final KernelResults results;
    /** Ways that did not pass their check: nothing of them is measured. */
    private final Set<Way> broken = EnumSet.noneOf(Way.class);
    private KernelTestbed testbed;
    private int turn;

    private KernelBench(KernelPlan plan, LoadTool tool, Measurements measured) {
        this.plan = plan;
        this.tool = tool;
        this.measured = measured;
        this.results = new KernelResults(plan, measured);
    }

    /**
     * Runs it.
     *
     * @param progress told what is being done, a line at a time
     * @throws AnepException (EE-504) if something is missing that cannot be installed
     * @throws LabException  if a network cannot be made, or a node does not start: it may not use the kernel, and says why
     */
    public static KernelResults run(KernelPlan plan, Consumer<String> progress) {
        LabRequirements lab = LabRequirements.check().installMissing();
        if (!lab.met()) {
            throw new AnepException(ErrorCode.MISSING_TOOL, lab.explain());
        }
        KernelBench bench = new KernelBench(plan, LoadTool.make(), new Measurements(progress));
        bench.run();
        return bench.results;
    }

    private void run() {
        Set<Part> parts = plan.parts();
        if (parts.contains(Part.UDP) || parts.contains(Part.RULES)) {
            on(MTU_UDP, this::datagrams);
        }
        if (parts.contains(Part.TCP)) {
            on(MTU_TCP, this::streams);
        }
        if (parts.contains(Part.CHANGE)) {
            on(MTU_UDP, () -> {
                RuleChange change = new RuleChange(testbed, measured);
                rounds(round -> RuleChange.RULES.forEach(rules ->
                        measured.attempt(round + "changing one of " + rules + " rules", () -> change.run(rules, plan.changes()))));
            });
        }
    }

    private void on(int mtu, Runnable part) {
        try (KernelTestbed opened = new KernelTestbed(tool, mtu)) {
            testbed = opened;
            part.run();
        }
    }

    private void rounds(Consumer<String> round) {
        measured.rounds(0, plan.rounds(), number -> round.accept("round " + (number + 1) + " of " + plan.rounds() + ", "));
    }

    private void datagrams() {
        boolean udp = plan.parts().contains(Part.UDP);
        boolean rules = plan.parts().contains(Part.RULES);
        List<Way> ways = new ArrayList<>(udp ? Way.COMPARED : List.of());
        ways.addAll(rules ? Way.BY_RULES : List.of());
        open(ways, false);
        for (Way way : ways) {
            check(way, "first datagrams", () -> load(way, Case.UDP_WINDOW, plan.datagrams().get(0), before(), false));
            for (int octets : plan.datagrams()) {
                check(way, "checking datagrams of " + octets + " octets", () -> checkDatagrams(way, octets));
            }
        }
        List<Integer> shortest = List.of(Collections.min(plan.datagrams()));
        rounds(round -> {
            measure(round, udp ? plan.datagrams() : List.of(), Case.UDP_WINDOW, Case.UDP_BLAST, Case.UDP_TRIP);
            measure(round, rules ? shortest : List.of(), Case.RULES_WINDOW, Case.RULES_TRIP);
        });
    }

    private void streams() {
        open(Way.COMPARED, true);
        for (Way way : Way.COMPARED) {
            for (int octets : plan.tripFrames()) {
                check(way, "checking streams of " + octets + " octets", () -> load(way, Case.TCP_TRIP, octets, plan.run(), true));
            }
            check(way, "a first stream", () -> load(way, Case.TCP_STREAM, plan.frames().get(0), before(), false));
        }
        rounds(round -> {
            measure(round, plan.frames(), Case.TCP_STREAM);
            measure(round, plan.tripFrames(), Case.TCP_TRIP);
        });
    }

    private Duration before() {
        return plan.run().multipliedBy(BEFORE);
    }

    private void open(List<Way> ways, boolean light) {
        broken.clear();
        for (Way way : ways) {
            measured.doing("starting " + way);
            testbed.open(way, light);
        }
    }

    private void check(Way way, String what, Runnable run) {
        if (!broken.contains(way) && !measured.attempt(way + ", " + what, run)) {
            broken.add(way);
        }
    }

    /** Every octet of every echo, and the code point at the server. */
    private void checkDatagrams(Way way, int octets) {
        testbed.load().watchDscp(true);
        load(way, Case.UDP_WINDOW, octets, plan.run(), true);
        long seen = testbed.load().count().get("dscp");
        testbed.load().watchDscp(false);
        int expected = way.isNode() ? KernelTestbed.DSCP : 0;
        require(seen == expected, "the server has seen code point " + seen + " and not " + expected);
    }

    /** Measures some cases with all their ways. */
    private void measure(String round, Collection<Integer> lengths, Case... cases) {
        for (int octets : lengths) {
            for (Case what : cases) {
                List<Way> ways = new ArrayList<>(what.ways());
                ways.removeAll(broken);
                Map<Way, Run> runs = new EnumMap<>(Way.class);
                for (Way way : Measurements.turned(ways, turn++)) {
                    measured.attempt(round + what.name + ", " + octets + " octets, " + way, () -> runs.put(way, run(way, what, octets)));
                }
                results.add(what, octets, runs);
            }
        }
    }

    private Run run(Way way, Case what, int octets) {
        Taken taken = load(way, what, octets, plan.run(), false);
        LoadFigures client = taken.client();
        if (way.isNode()) {
            measured.add(KernelResults.key(what, way, octets, "node-cpu", "s/s"), taken.nodeNanos() / NANOS / taken.seconds());
        }
        return switch (what) {
            case UDP_TRIP, TCP_TRIP, RULES_TRIP -> {
                addLost(what, way, octets, client.get("lost"), client.get("echoed"));
                measured.add(KernelResults.key(what, way, octets, "p99", "us"), client.get("p99") / 1e3);
                yield new Run(client.get("p50") / 1e3, Double.NaN, Double.NaN, Double.NaN);
            }
            case UDP_WINDOW, RULES_WINDOW -> {
                addLost(what, way, octets, client.get("lost"), client.get("echoed"));
                yield run(way, taken, client.perSecond("echoed"), client.get("all"), 1);
            }
            case UDP_BLAST -> {
                LoadFigures count = testbed.load().count();
                long sent = client.get("sent");
                long received = count.get("packets");
                require(received > 0 && received <= sent && count.get("disorder") == 0, "sent " + sent + "; " + count);
                addLost(what, way, octets, sent - received, received);
                yield run(way, taken, count.perSecond("packets"), received, 1);
            }
            case TCP_STREAM -> run(way, taken, client.perSecond("octets") * 8 / 1e9, client.get("all"), octets * 8 / 1e9);
        };
    }

    /** @param packets that all the CPU time was spent on @param unit of the value, in a packet */
    private static Run run(Way way, Taken taken, double value, long packets, double unit) {
        double whole = taken.wholeNanos() / packets;
        return new Run(value, NANOS / whole * unit, whole, way.isNode() ? taken.nodeNanos() / packets : Double.NaN);
    }

    private void addLost(Case what, Way way, int octets, double lost, double come) {
        measured.add(KernelResults.key(what, way, octets, "lost", "ratio"), lost / (lost + come));
    }

    /**
     * Lets the client run, placed as the case and the plan say.
     *
     * @throws LabException if it fails, if answers came another way than the one that is measured, or if the node's process did what the
     *                      kernel should have done
     */
    private Taken load(Way way, Case what, int octets, Duration duration, boolean intact) {
        // A check of streams asks for round trips too, and is placed like a rate.
        Taken taken = testbed.run(way, what, what.isTrip() && !intact ? Placement.ONE : plan.placement(), octets, duration, intact);
        if (!what.isTcp() && what != Case.UDP_BLAST) {
            require(taken.client().get("wrong-way") == 0, taken.client() + ": echoes came another way");
            require(taken.client().get("stray") == 0, taken.client() + ": echoes that are not what was sent");
        }
        double busy = taken.nodeNanos() / NANOS / taken.seconds();
        require(!way.inKernel() || busy < IDLE, String.format("the node was busy for %.2f of the time: not the kernel did the work", busy));
        return taken;
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new LabException(what);
        }
    }
}
