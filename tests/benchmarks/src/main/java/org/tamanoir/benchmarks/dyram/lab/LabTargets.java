package org.tamanoir.benchmarks.dyram.lab;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tamanoir.benchmarks.dyram.lab.LabFigures.Measured;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Target;

/** What Tamanoir has to reach, in one run beside the peers. Times and CPU are asked of warm processes; copies of cold ones too. */
final class LabTargets {
    /** Octets on the source's link, in parts of the file. */
    private static final Map<LossCase, Double> SOURCE_LINK = Map.of(LossCase.NONE, 1.07, LossCase.each(5), 1.08, LossCase.each(25), 1.12,
            LossCase.site(5), 1.07, LossCase.site(25), 1.15);
    /** Seconds, of the usual file at the usual rate alone. */
    private static final Map<LossCase, Double> SECONDS = Map.of(LossCase.NONE, 4.0, LossCase.each(25), 5.5);
    /** In these NORM is the mark, for the usual file at the usual rate. */
    private static final Set<LossCase> BESIDE_NORM = Set.of(LossCase.NONE, LossCase.each(25));
    private static final double MOST_TIME = 1.1;
    private static final double MOST_CPU = 2;

    private LabTargets() {
    }

    /** Those of the cases that were to be run, for each of its own systems. */
    static List<Target> of(LabPlan plan, Samples samples) {
        List<Target> targets = new ArrayList<>();
        plan.systems().stream().filter(SystemKind::isOwn).forEach(kind -> plan.measured().forEach(which -> add(targets, plan, samples, kind, which)));
        return targets;
    }

    private static void add(List<Target> targets, LabPlan plan, Samples samples, SystemKind kind, LabCase which) {
        int receivers = plan.expected();
        String name = kind + ", " + which + ": ";
        LossCase loss = which.loss();
        if (SOURCE_LINK.containsKey(loss) && !which.cold()) {
            targets.add(Target.atMost(name + "source link, files", samples.median(LabFigures.sourceLink(which, kind, receivers)),
                    SOURCE_LINK.get(loss)));
        }
        if (SECONDS.containsKey(loss) && plan.isUsual() && !which.cold()) {
            targets.add(Target.atMost(name + "complete after, s", samples.median(LabFigures.seconds(which, kind, receivers)), SECONDS.get(loss)));
        }
        if (BESIDE_NORM.contains(loss) && plan.isUsual() && !which.cold() && plan.systems().contains(SystemKind.NORM)) {
            targets.add(Target.atMost(name + "time, of NORM's", ratio(samples, LabFigures::seconds, which, kind, receivers), MOST_TIME));
            targets.add(Target.atMost(name + "CPU, of NORM's", ratio(samples, LabFigures::cpu, which, kind, receivers), MOST_CPU));
        }
        List<Double> identical = samples.of(LabFigures.identical(which, kind, receivers));
        targets.add(Target.atLeast(name + "complete and identical in the worst run, receivers",
                identical.isEmpty() ? null : Collections.min(identical), receivers));
    }

    /** The median of ours in parts of the median of NORM's; null if either has none. */
    private static Double ratio(Samples samples, Measured metric, LabCase which, SystemKind kind, int receivers) {
        Double ours = samples.median(metric.key(which, kind, receivers));
        Double norm = samples.median(metric.key(which, SystemKind.NORM, receivers));
        return ours == null || norm == null ? null : ours / norm;
    }
}
