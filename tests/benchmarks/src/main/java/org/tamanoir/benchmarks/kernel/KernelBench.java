package org.tamanoir.benchmarks.kernel;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.lab.LabException;

/**
 * Runs the plan: every round measures every case with every way, one way directly after the other and in an order that turns, so that
 * whatever changes on the machine meanwhile changes it for all.
 */
final class KernelBench {
    /** MTU of the links that datagrams cross: the longest of them is not cut. */
    private static final int MTU_UDP = 9000;
    private static final int MTU_TCP = 1500;
    private static final Duration WARM = Duration.ofMillis(200);
    /** Before anything counts, each way carries packets for so many times the length of a measurement: for a node's process to be compiled. */
    private static final int BEFORE = 6;

    private final KernelPlan plan;
    private final LoadTool tool;
    private final Consumer<String> progress;
    private final Samples samples = new Samples();
    private final List<String> failures = new ArrayList<>();
    /** Ways that did not pass their check: nothing of them is measured. */
    private final Set<Way> broken = EnumSet.noneOf(Way.class);
    /** Of the case that is being measured. */
    private final Map<Way, Double> perCpu = new EnumMap<>(Way.class);
    private int turn;

    /** @param progress told what is being done, a line at a time */
    KernelBench(KernelPlan plan, LoadTool tool, Consumer<String> progress) {
        this.plan = plan;
        this.tool = tool;
        this.progress = progress;
    }

    /** @throws LabException if a network cannot be made or a node does not start */
    void run() {
        boolean udp = plan.parts().contains(Part.UDP);
        if (udp || plan.parts().contains(Part.RULES)) {
            try (KernelTestbed testbed = new KernelTestbed(tool, MTU_UDP)) {
                datagrams(testbed, udp, plan.parts().contains(Part.RULES));
            }
        }
        if (plan.parts().contains(Part.TCP)) {
            try (KernelTestbed testbed = new KernelTestbed(tool, MTU_TCP)) {
                streams(testbed);
            }
        }
        if (plan.parts().contains(Part.CHANGE)) {
            try (KernelTestbed testbed = new KernelTestbed(tool, MTU_UDP)) {
                RuleChange change = new RuleChange(testbed, samples);
                for (int round = 0; round < plan.rounds(); round++) {
                    for (int rules : RuleChange.RULES) {
                        String what = of(round) + "changing one of " + rules + " rules";
                        progress.accept(what);
                        attempt(what, () -> change.run(rules, plan.changes()));
                    }
                }
            }
        }
    }

    private void datagrams(KernelTestbed testbed, boolean udp, boolean rules) {
        Load load = new Load(testbed, WARM);
        List<Way> ways = new ArrayList<>(udp ? Way.COMPARED : List.of());
        Way.BY_RULES.stream().filter(way -> rules && !ways.contains(way)).forEach(ways::add);
        open(testbed, ways, false);
        for (Way way : ways) {
            check(way, "first datagrams", () -> load.run(way, Load.Case.UDP_WINDOW, plan.datagrams().get(0), plan.placement(), before(), false));
            for (int octets : plan.datagrams()) {
                check(way, "checking datagrams of " + octets + " octets", () -> checkDatagrams(testbed, load, way, octets));
            }
        }
        for (int round = 0; round < plan.rounds(); round++) {
            String of = of(round);
            for (int octets : udp ? plan.datagrams() : List.<Integer>of()) {
                measure(of, KernelFigure.UDP_WINDOW, octets, Way.COMPARED, way -> window(load, KernelFigure.UDP_WINDOW, way, octets));
                measure(of, KernelFigure.UDP_BLAST, octets, Way.COMPARED, way -> blast(testbed, load, way, octets));
                measure(of, KernelFigure.UDP_TRIP, octets, Way.COMPARED,
                        way -> trips(load, Load.Case.UDP_TRIP, KernelFigure.UDP_TRIP, way, octets));
            }
            int shortest = Collections.min(plan.datagrams());
            if (rules) {
                measure(of, KernelFigure.RULES_WINDOW, shortest, Way.BY_RULES, way -> window(load, KernelFigure.RULES_WINDOW, way, shortest));
                measure(of, KernelFigure.RULES_TRIP, shortest, Way.BY_RULES,
                        way -> trips(load, Load.Case.UDP_TRIP, KernelFigure.RULES_TRIP, way, shortest));
            }
        }
    }

    private void streams(KernelTestbed testbed) {
        Load load = new Load(testbed, WARM);
        open(testbed, Way.COMPARED, true);
        for (Way way : Way.COMPARED) {
            for (int octets : plan.tripFrames()) {
                check(way, "checking streams of " + octets + " octets", () -> load.run(way, Load.Case.TCP_TRIP, octets, plan.placement(), plan.run(), true));
            }
            check(way, "a first stream", () -> load.run(way, Load.Case.TCP_BLAST, plan.frames().get(0), plan.placement(), before(), false));
        }
        for (int round = 0; round < plan.rounds(); round++) {
            String of = of(round);
            for (int octets : plan.frames()) {
                measure(of, KernelFigure.TCP_STREAM, octets, Way.COMPARED, way -> stream(load, way, octets));
            }
            for (int octets : plan.tripFrames()) {
                measure(of, KernelFigure.TCP_TRIP, octets, Way.COMPARED,
                        way -> trips(load, Load.Case.TCP_TRIP, KernelFigure.TCP_TRIP, way, octets));
            }
        }
    }

    private Duration before() {
        return plan.run().multipliedBy(BEFORE);
    }

    private String of(int round) {
        return "round " + (round + 1) + " of " + plan.rounds() + ", ";
    }

    private void open(KernelTestbed testbed, List<Way> ways, boolean light) {
        broken.clear();
        for (Way way : ways) {
            progress.accept("starting " + way);
            testbed.open(way, light);
        }
    }

    /** Every octet of every echo, and the code point at the server. */
    private void checkDatagrams(KernelTestbed testbed, Load load, Way way, int octets) {
        testbed.server().watchDscp(true);
        load.run(way, Load.Case.UDP_WINDOW, octets, plan.placement(), plan.run(), true);
        long seen = testbed.server().count().get("dscp");
        testbed.server().watchDscp(false);
        int expected = way.isNode() ? NodeText.DSCP : 0;
        if (seen != expected) {
            throw new LabException("the server has seen code point " + seen + " and not " + expected);
        }
    }

    /** Measures one case with all ways, and what they are to each other. */
    private void measure(String round, String what, int octets, List<Way> ways, java.util.function.ToDoubleFunction<Way> run) {
        List<Way> turned = new ArrayList<>(ways);
        turned.removeAll(broken);
        Collections.rotate(turned, -turn++);
        Map<Way, Double> values = new EnumMap<>(Way.class);
        for (Way way : turned) {
            progress.accept(round + what + ", " + octets + " octets: " + way);
            attempt(round + what + ", " + octets + " octets, " + way, () -> values.put(way, run.applyAsDouble(way)));
        }
        KernelFigure.addRatios(samples, KernelFigure::ratio, what, octets, values);
        KernelFigure.addRatios(samples, KernelFigure::cpuRatio, what, octets, perCpu);
        perCpu.clear();
    }

    private double trips(Load load, Load.Case which, String what, Way way, int octets) {
        Load.Result result = load.run(way, which, octets, Placement.ONE, plan.run(), false);
        KernelFigure.addTrips(samples, what, way, octets, result.client());
        addLost(what, way, octets, result.client());
        return result.client().get("p50");
    }

    private double window(Load load, String what, Way way, int octets) {
        Load.Result result = load.run(way, Load.Case.UDP_WINDOW, octets, plan.placement(), plan.run(), false);
        double rate = result.client().perSecond("echoed");
        samples.add(KernelFigure.rate(what, way, octets), rate);
        addLost(what, way, octets, result.client());
        addCpu(what, way, octets, result);
        addPerCpu(what, way, octets, result.perCpuSecond());
        return rate;
    }

    private double blast(KernelTestbed testbed, Load load, Way way, int octets) {
        Load.Result result = load.run(way, Load.Case.UDP_BLAST, octets, plan.placement(), plan.run(), false);
        LoadFigures count = testbed.server().count();
        long sent = result.client().get("sent");
        if (count.get("packets") > sent || count.get("disorder") > 0 || count.get("packets") == 0) {
            throw new LabException("sent " + sent + "; " + count);
        }
        double rate = count.perSecond("packets");
        samples.add(KernelFigure.rate(KernelFigure.UDP_BLAST, way, octets), rate);
        samples.add(KernelFigure.lost(KernelFigure.UDP_BLAST, way, octets), 1 - (double) count.get("packets") / sent);
        addCpu(KernelFigure.UDP_BLAST, way, octets, result);
        return rate;
    }

    private double stream(Load load, Way way, int octets) {
        Load.Result result = load.run(way, Load.Case.TCP_BLAST, octets, plan.placement(), plan.run(), false);
        double gigabits = result.client().perSecond("octets") * 8 / 1e9;
        samples.add(KernelFigure.rate(KernelFigure.TCP_STREAM, way, octets), gigabits);
        addCpu(KernelFigure.TCP_STREAM, way, octets, result);
        addPerCpu(KernelFigure.TCP_STREAM, way, octets, result.perCpuSecond() * octets * 8 / 1e9);
        return gigabits;
    }

    private void addPerCpu(String what, Way way, int octets, double rate) {
        samples.add(KernelFigure.perCpu(what, way, octets), rate);
        perCpu.put(way, rate);
    }

    private void addLost(String what, Way way, int octets, LoadFigures client) {
        double lost = client.get("lost");
        samples.add(KernelFigure.lost(what, way, octets), lost / (lost + client.get("echoed")));
    }

    private void addCpu(String what, Way way, int octets, Load.Result result) {
        result.cpuSeconds().ifPresent(cpu -> samples.add(KernelFigure.cpu(what, way, octets), cpu));
    }

    private void check(Way way, String what, Runnable run) {
        progress.accept(way + ", " + what);
        if (!broken.contains(way) && !attempt(way + ", " + what, run)) {
            broken.add(way);
        }
    }

    /** @return whether it succeeded; otherwise it is among the failures */
    private boolean attempt(String what, Runnable run) {
        try {
            run.run();
            return true;
        } catch (LabException e) {
            failures.add(what + ": " + e.getMessage());
            progress.accept(ErrorCode.INTERNAL + " " + what + ": " + e.getMessage());
            return false;
        }
    }

    Samples samples() {
        return samples;
    }

    /** Runs that gave no figure, and why. */
    List<String> failures() {
        return List.copyOf(failures);
    }
}
