package org.tamanoir.benchmarks.paper;

import java.util.List;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.parts.Part;
import org.tamanoir.benchmarks.parts.Parts;
import org.tamanoir.benchmarks.parts.Rounds;
import org.tamanoir.lab.LabException;

/** All the figures. One that cannot be measured on a machine is a failure of the run, with its reason, and the others are measured all the same. */
public final class Paper {
    public static final Parts<Rounds> PARTS = new Parts<>(List.of(
            part("fig8", NodeFigures.LATENCY, NodeFigures::latency),
            part("fig9", NodeFigures.ONE_NODE, NodeFigures::oneNode),
            part("fig10", ClusterFigures.SCALING, ClusterFigures::scaling),
            part("fig11", ClusterFigures.DISTANCE, ClusterFigures::distance),
            part("fig12", ServiceFigures.RECOVERY, ServiceFigures::recovery),
            part("fig13", ServiceFigures.DELAY, ServiceFigures::delay),
            part("table1", ServiceFigures.QUALITY, ServiceFigures::quality)));

    private Paper() {
    }

    private static Part<Rounds> part(String name, String title, Part.Measurement<Rounds> measure) {
        return new Part<>(name, (plan, progress) -> attempt(name, title, measure, plan, progress));
    }

    private static Outcome attempt(String name, String title, Part.Measurement<Rounds> measure, Rounds plan, Consumer<String> progress) {
        try {
            return measure.run(plan, progress);
        } catch (LabException | AnepException e) {
            return PaperFigure.failed(name, title, e.getMessage());
        }
    }
}
