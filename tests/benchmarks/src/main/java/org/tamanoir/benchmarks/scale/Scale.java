package org.tamanoir.benchmarks.scale;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.ObjDoubleConsumer;
import org.tamanoir.benchmarks.bundle.Stamp;
import org.tamanoir.benchmarks.load.FirstOctet;
import org.tamanoir.benchmarks.load.StreamKind;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.parts.Part;
import org.tamanoir.benchmarks.parts.Parts;
import org.tamanoir.benchmarks.parts.Rounds;
import org.tamanoir.benchmarks.process.Descriptors;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.ProcessTree;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.scale.ScaleOutcome.Metric;
import org.tamanoir.lab.ServiceBundle;

/** Everything that there may be many of. Every round starts new processes for each size, the sizes in an order that turns. */
public final class Scale {
    /**
     * What all parts are told.
     *
     * @param rounds each with new processes
     * @param most   of anything: larger sizes are left out
     */
    public record Plan(Rounds rounds, int most) {
        public static final int MOST = 10_000;

        /** @throws IllegalArgumentException if it cannot be run; the message says why */
        public void check() {
            rounds.check();
            if (most < 1 || most > MOST) {
                throw new IllegalArgumentException("sizes of 1 to " + MOST);
            }
        }
    }

    /** As many as a process of 20,000 descriptors can have both ends of. */
    private static final int MOST_STREAMS = 9_500;
    private static final int FIRST_TYPE = 0x5500;

    public static final Parts<Plan> PARTS = Parts.onLoopback(List.of(
            part("streams", "streams that stay open and silent", List.of(1, 10, 100, 1_000, Descriptors.pairs(MOST_STREAMS)), Scale::streams),
            part("routes", "routes", List.of(1, 10, 100, 1_000, 10_000), Scale::routes),
            part("services", "services that are active", List.of(1, 10, 50, 200), Scale::services),
            part("hops", "nodes in a row", List.of(1, 2, 4, 8), Scale::hops),
            part("cores", "processors of the node", cores(), Scale::cores)));

    /** Makes so many, measures, and takes them away. */
    private interface Case {
        void measure(ScaleRig rig, int size, Rounds rounds, ObjDoubleConsumer<Metric> found) throws IOException;
    }

    private Scale() {
    }

    private static List<Integer> cores() {
        int all = Runtime.getRuntime().availableProcessors();
        return all == 1 ? List.of(1) : List.of(1, all);
    }

    private static Part<Plan> part(String name, String title, List<Integer> sizes, Case what) {
        return new Part<>(name, (plan, progress) -> run(name, title, sizes, what, plan, progress));
    }

    private static Outcome run(String name, String title, List<Integer> sizes, Case what, Plan plan, Consumer<String> progress) {
        List<Integer> asked = sizes.stream().filter(size -> size <= plan.most()).toList();
        Measurements measured = new Measurements(progress);
        ScaleOutcome outcome = new ScaleOutcome(name, title, asked, measured);
        measured.rounds(0, plan.rounds().count(), round -> {
            for (int size : Measurements.turned(asked, round)) {
                measured.attemptAny("scale, " + size + " " + title + ", " + Measurements.name(round), () -> {
                    try (ScaleRig rig = new ScaleRig()) {
                        what.measure(rig, size, plan.rounds(), (metric, value) -> outcome.add(size, metric, value));
                    }
                });
            }
        });
        return outcome;
    }

    private static void streams(ScaleRig rig, int size, Rounds rounds, ObjDoubleConsumer<Metric> found) throws IOException {
        NodeProcess node = rig.node("node", "limits: {streams: 20000, streams-per-source: 20000}\n");
        List<FirstOctet.Opened> open = new ArrayList<>();
        try {
            long begin = System.nanoTime();
            for (int i = 0; i < size; i++) {
                open.add(rig.open(node, StreamKind.MONITORING.typeId()));
            }
            found.accept(Metric.MAKING, millis(begin, size));
            rig.measure(node, rounds, found);
        } finally {
            for (FirstOctet.Opened each : open) {
                each.close();
            }
        }
    }

    private static void routes(ScaleRig rig, int size, Rounds rounds, ObjDoubleConsumer<Metric> found) throws IOException {
        StringBuilder yaml = new StringBuilder("routes:\n  127.0.0.0/8: direct\n");
        for (int i = 1; i < size; i++) {
            yaml.append(String.format(Locale.ROOT, "  10.%d.%d.0/24: 127.0.0.1:9\n", i / 250, i % 250));
        }
        long begin = System.nanoTime();
        NodeProcess node = rig.node("node", yaml.toString());
        found.accept(Metric.READY, (System.nanoTime() - begin) / 1e9);
        rig.measure(node, rounds, found);
    }

    private static void services(ScaleRig rig, int size, Rounds rounds, ObjDoubleConsumer<Metric> found) throws IOException {
        NodeProcess empty = rig.node("node", "");
        long begin = System.nanoTime();
        for (int i = 0; i < size; i++) {
            empty.admin().deploy(new ServiceBundle("service" + i, FIRST_TYPE + i, "middle", Stamp.class).in(rig.folder("bundles")));
        }
        found.accept(Metric.MAKING, millis(begin, size));
        empty.close();
        begin = System.nanoTime();
        NodeProcess node = rig.node("node", "");
        found.accept(Metric.READY, (System.nanoTime() - begin) / 1e9);
        rig.measure(List.of(node), FIRST_TYPE + size - 1, rounds, found);
    }

    private static void hops(ScaleRig rig, int size, Rounds rounds, ObjDoubleConsumer<Metric> found) throws IOException {
        List<NodeProcess> nodes = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            String next = nodes.isEmpty() ? "direct" : "127.0.0.1:" + nodes.get(0).address().getPort();
            nodes.add(0, rig.node("node" + i, "routes: {127.0.0.0/8: '" + next + "'}\n"));
        }
        rig.measure(nodes, StreamKind.MONITORING.typeId(), rounds, found);
    }

    /** The node's process alone is held to some processors, from READY on. */
    private static void cores(ScaleRig rig, int size, Rounds rounds, ObjDoubleConsumer<Metric> found) throws IOException {
        NodeProcess node = rig.node("node", "threads: " + size + "\n");
        node.tree().pin(size == 1 ? "0" : ProcessTree.allCpus());
        rig.measure(node, rounds, found);
    }

    private static double millis(long begin, int size) {
        return (System.nanoTime() - begin) / 1e6 / size;
    }
}
