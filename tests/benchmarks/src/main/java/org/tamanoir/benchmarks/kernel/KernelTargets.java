package org.tamanoir.benchmarks.kernel;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Target;

/** What the kernel path has to reach, in one run beside the others. */
final class KernelTargets {
    private static final double OF_PLAIN = 0.9;
    private static final double ONE_WAY_OF_PLAIN = 0.95;
    private static final double UDP_OF_USER_SPACE = 1.8;
    private static final double TCP_OF_USER_SPACE = 1.5;
    /** The same, as far as two runs of one thing are the same. */
    private static final double OF_TEN_RULES = 0.9;
    private static final double CHANGE_MILLIS = 5;

    private KernelTargets() {
    }

    /** Those of the parts that were run. */
    static List<Target> of(KernelPlan plan, Samples samples) {
        List<Target> targets = new ArrayList<>();
        if (plan.parts().contains(Part.UDP)) {
            plan.datagrams().forEach(octets -> addPair(targets, plan, samples, KernelFigure.UDP_WINDOW,
                    "datagrams of " + octets + " octets, 32 outstanding", octets, UDP_OF_USER_SPACE));
            plan.datagrams().forEach(octets -> targets.add(Target.atLeast("datagrams of " + octets + " octets, one way: kernel of plain",
                    samples.median(KernelFigure.ratio(KernelFigure.UDP_BLAST, Way.KERNEL, Way.PLAIN, octets)), ONE_WAY_OF_PLAIN)));
        }
        if (plan.parts().contains(Part.TCP)) {
            plan.frames().forEach(octets -> addPair(targets, plan, samples, KernelFigure.TCP_STREAM,
                    "a stream of " + octets + " octets", octets, TCP_OF_USER_SPACE));
        }
        if (plan.parts().contains(Part.RULES)) {
            int shortest = Collections.min(plan.datagrams());
            targets.add(Target.atLeast("10,000 rules: echoes of ten rules",
                    samples.median(rate(plan).of(KernelFigure.RULES_WINDOW, Way.MANY_RULES, Way.TEN_RULES, shortest)), OF_TEN_RULES));
        }
        if (plan.parts().contains(Part.CHANGE)) {
            for (int rules : RuleChange.RULES) {
                for (String direction : RuleChange.DIRECTIONS) {
                    targets.add(Target.atMost("one of " + rules + " rules " + direction + ", ms until it is in force, the longest of a round",
                            samples.median(KernelFigure.change(direction, rules, "most")), CHANGE_MILLIS));
                }
            }
        }
        return targets;
    }

    private static void addPair(List<Target> targets, KernelPlan plan, Samples samples, String what, String name, int octets, double ofUserSpace) {
        targets.add(Target.atLeast(name + ": kernel of plain",
                samples.median(rate(plan).of(what, Way.KERNEL, Way.PLAIN, octets)), OF_PLAIN));
        targets.add(Target.atLeast(name + ": kernel of user space",
                samples.median(rate(plan).of(what, Way.KERNEL, Way.USER_SPACE, octets)), ofUserSpace));
    }

    /** On one CPU that is never idle, rates for each second of CPU time are those of an idle machine, whoever else uses this one. */
    private static KernelFigure.Ratio rate(KernelPlan plan) {
        return plan.placement() == Placement.ONE ? KernelFigure::cpuRatio : KernelFigure::ratio;
    }
}
