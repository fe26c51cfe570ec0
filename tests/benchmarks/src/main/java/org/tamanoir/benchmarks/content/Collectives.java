package org.tamanoir.benchmarks.content;

import java.util.List;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.content.ReduceSite.Cost;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.lab.LabRequirements;

/**
 * A barrier of 1,000 members behind 12 nodes, on loopback: packets that the nodes send to the root. And an all-reduce of doubles among 16 members, four on each of four hosts
 * around a root: octets on each link, and time, beside Open MPI over TCP on the same links.
 */
final class Collectives extends MeasuredOutcome {
    private static final int OPERATIONS = 10;
    private static final double MOST_OF_VECTOR = 1.05;
    private final int nodes;
    private final int members;

    private Collectives(Measurements measured, int nodes, int members) {
        super("collect", measured);
        this.nodes = nodes;
        this.members = members;
    }

    private static Key reduce(String system, String metric, String unit) {
        return new Key("all-reduce", system, 0, ReduceSite.MEMBERS, metric, unit);
    }

    private static Key barrier(int members, String metric, String unit) {
        return new Key("barrier", "collect", 0, members, metric, unit);
    }

    static Outcome run(ContentPlan plan, Consumer<String> progress) {
        LabRequirements.check().installMissing().orThrow();
        OpenMpi.install();
        Measurements measured = new Measurements(progress);
        int nodes = plan.quick() ? 3 : 12;
        int members = plan.quick() ? 30 : 1000;
        measured.attemptAny("a barrier of " + members + " behind " + nodes + " nodes", () -> {
            try (BarrierSite site = new BarrierSite(nodes, members)) {
                measured.rounds(1, plan.rounds().count(), round -> measured.attemptAny(Measurements.name(round), () -> {
                    BarrierSite.Cost cost = site.barrier();
                    measured.add(barrier(members, "to the root", "packets"), cost.up());
                    measured.add(barrier(members, "from the root", "packets"), cost.down());
                    measured.add(barrier(members, "time", "ms"), cost.millis());
                }));
            }
        });
        int octets = plan.quick() ? 1 << 18 : 1 << 20;
        measured.attemptAny("an all-reduce of " + octets + " octets", () -> {
            try (ReduceSite site = new ReduceSite(octets)) {
                measured.rounds(1, plan.rounds().count(), round -> Measurements.turned(List.of("collect", "Open MPI"), round).forEach(system ->
                        measured.attemptAny(Measurements.name(round) + ", " + system, () -> add(measured, system, octets, site.cost(system, OPERATIONS)))));
            }
        });
        return new Collectives(measured, nodes, members);
    }

    private static void add(Measurements measured, String system, int octets, Cost cost) {
        measured.add(reduce(system, "most up a link", "vectors"), cost.up() / (double) octets);
        measured.add(reduce(system, "most down a link", "vectors"), cost.down() / (double) octets);
        measured.add(reduce(system, "all links", "vectors"), cost.all() / (double) octets);
        measured.add(reduce(system, "time", "ms"), cost.millis());
    }

    @Override
    public List<Target> targets() {
        return List.of(Target.atMost("packets of a barrier of " + members + " behind " + nodes + " nodes to the root", worst(barrier(members, "to the root", "packets")), nodes),
                Target.atMost("vectors up a link for an all-reduce", worst(reduce("collect", "most up a link", "vectors")), MOST_OF_VECTOR),
                Target.atMost("vectors down a link for an all-reduce", worst(reduce("collect", "most down a link", "vectors")), MOST_OF_VECTOR),
                Target.atMost("octets on all links beside Open MPI's", ratio("all links", "vectors"), 1));
    }

    private Double ratio(String metric, String unit) {
        Double own = samples().median(reduce("collect", metric, unit));
        Double peer = samples().median(reduce("Open MPI", metric, unit));
        return own == null || peer == null ? null : own / peer;
    }

    private Double worst(Key key) {
        return samples().of(key).stream().max(Double::compare).orElse(null);
    }
}
