package org.tamanoir.benchmarks.dyram.lab;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Target;

/** What Tamanoir has to reach, in one run beside the peers. */
final class LabTargets {
    /** Octets on the source's link, in parts of the file. */
    private static final Map<LossCase, Double> SOURCE_LINK = Map.of(LossCase.NONE, 1.07, LossCase.each(5), 1.08, LossCase.each(25), 1.12,
            LossCase.site(5), 1.07, LossCase.site(25), 1.15);
    /** Seconds, of the usual file at the usual rate alone. */
    private static final Map<LossCase, Double> SECONDS = Map.of(LossCase.NONE, 4.0, LossCase.each(25), 5.5);

    private LabTargets() {
    }

    /** Those of the cases that were to be run, for each of its own systems. */
    static List<Target> of(LabPlan plan, Samples samples) {
        List<Target> targets = new ArrayList<>();
        plan.systems().stream().filter(SystemKind::isOwn).forEach(kind -> plan.cases().forEach(loss -> add(targets, plan, samples, kind, loss)));
        return targets;
    }

    private static void add(List<Target> targets, LabPlan plan, Samples samples, SystemKind kind, LossCase loss) {
        int receivers = plan.expected();
        String name = kind + ", " + loss + ": ";
        if (SOURCE_LINK.containsKey(loss)) {
            targets.add(Target.atMost(name + "source link, files", samples.median(LabFigures.sourceLink(loss, kind, receivers)),
                    SOURCE_LINK.get(loss)));
        }
        if (SECONDS.containsKey(loss) && plan.isUsual()) {
            targets.add(Target.atMost(name + "complete after, s", samples.median(LabFigures.seconds(loss, kind, receivers)), SECONDS.get(loss)));
        }
        List<Double> identical = samples.of(LabFigures.identical(loss, kind, receivers));
        targets.add(Target.atLeast(name + "complete and identical in the worst run, receivers",
                identical.isEmpty() ? null : Collections.min(identical), receivers));
    }
}
