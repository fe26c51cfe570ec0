package org.tamanoir.benchmarks.cluster.scaling;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.tamanoir.benchmarks.cluster.site.ClusterSite;
import org.tamanoir.benchmarks.process.SoftInterrupts;
import org.tamanoir.benchmarks.load.LoadSink;
import org.tamanoir.benchmarks.process.CpuGroup;
import org.tamanoir.benchmarks.process.CpuTime;
import org.tamanoir.benchmarks.process.CpuTime.MachineTime;

/**
 * What one run has measured.
 *
 * @param octets   a second at the receiver, headers of packets included
 * @param used     of each back end that serves: processor time, in parts of its cap
 * @param compilers processors that compilers of back ends have used, which no cap holds
 * @param shares   of each back end that serves: what came to it over the network, in parts of what came to all
 * @param others   what came to back ends that do not serve, in parts of what came to all
 * @param director processors that the director has used
 * @param ends     processors that sender, receiver, and the node behind the back ends have used
 * @param soft     processors that the kernel's threads for soft interrupts have used: packets whose cost no back end was charged with
 * @param idle     part of the time in which this machine's processors had nothing to do
 */
record Figures(double octets, List<Double> used, double compilers, List<Double> shares, double others, double director, double ends, double soft, double idle) {
    /** Below that something else than the cap may have been the limit. */
    private static final double LEAST_USED = 0.85;
    /** One director has one processor. */
    private static final double MOST_DIRECTOR = 0.85;
    /** Reports, checks, and what the network says to itself. */
    private static final double MOST_OTHERS = 0.02;

    double meanUsed() {
        return used.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
    }

    /** Of the back end that has used the least. */
    double leastUsed() {
        return Collections.min(used);
    }

    /** Why this is no figure of back ends that were held back by their caps and by nothing else; empty if it is one. */
    List<String> doubts() {
        List<String> doubts = new ArrayList<>();
        if (octets <= 0) {
            doubts.add("nothing arrived");
        }
        if (leastUsed() < LEAST_USED) {
            doubts.add(String.format(Locale.ROOT, "a back end used %.0f %% of its cap: something else was the limit", 100 * leastUsed()));
        }
        if (director > MOST_DIRECTOR) {
            doubts.add(String.format(Locale.ROOT, "the director used %.0f %% of its processor", 100 * director));
        }
        if (others > MOST_OTHERS) {
            doubts.add(String.format(Locale.ROOT, "back ends that had left got %.0f %% of the octets", 100 * others));
        }
        return doubts;
    }

    /**
     * Counters at an instant.
     *
     * @param count    what has come to the sink, by its own clock
     * @param received octets that have come to each back end
     * @param used     processor time of each back end under its cap
     * @param nodes    processor time of all of them
     */
    record Reading(LoadSink.Count count, List<Long> received, List<CpuTime> used, CpuTime nodes, CpuTime director, CpuTime ends, long soft, MachineTime machine, long nanos) {
        private static final SoftInterrupts SOFT = new SoftInterrupts();

        static Reading of(ClusterSite site, List<CpuGroup> caps, LoadSink sink, long... ends) {
            LoadSink.Count count = sink.count();
            List<CpuTime> used = caps.stream().map(CpuGroup::time).toList();
            CpuTime nodes = CpuTime.of(ClusterSite.ALL.stream().mapToLong(number -> site.node(number).pid()).toArray());
            CpuTime director = CpuTime.of(site.director(1).group());
            CpuTime both = CpuTime.of(ends);
            long nanos = System.nanoTime();
            MachineTime machine = MachineTime.now();
            List<Long> received = site.testbed().backEnds().stream().map(port -> port.statistics().rxBytes()).toList();
            return new Reading(count, received, used, nodes, director, both, SOFT.nanos(), machine, nanos);
        }

        /** @param cap of each back end @param serving numbers of back ends */
        Figures since(Reading before, double cap, List<Integer> serving) {
            double seconds = (nanos - before.nanos) / 1e9;
            double all = ClusterSite.ALL.stream().mapToLong(number -> received(before, number)).sum();
            List<Double> parts = serving.stream().map(number -> used.get(number - 1).since(before.used.get(number - 1)) / seconds / cap).toList();
            List<Double> shares = serving.stream().map(number -> all == 0 ? 0 : received(before, number) / all).toList();
            double others = Math.max(0, 1 - shares.stream().mapToDouble(Double::doubleValue).sum());
            double capped = ClusterSite.ALL.stream().mapToDouble(number -> used.get(number - 1).since(before.used.get(number - 1))).sum();
            double compilers = Math.max(0, nodes.since(before.nodes) - capped) / seconds;
            return new Figures((count.octets() - before.count.octets()) * 1e9 / (count.nanos() - before.count.nanos()), parts, compilers, shares, others,
                    director.since(before.director) / seconds, ends.since(before.ends) / seconds, (soft - before.soft) / 1e9 / seconds,
                    machine.idleSince(before.machine));
        }

        private long received(Reading before, int number) {
            return received.get(number - 1) - before.received.get(number - 1);
        }
    }
}
