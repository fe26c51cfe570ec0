package org.tamanoir.benchmarks.cluster.scaling;

import java.util.ArrayList;
import java.util.List;
import org.tamanoir.benchmarks.cluster.site.ClusterSite;
import org.tamanoir.benchmarks.kernel.SoftInterrupts;
import org.tamanoir.benchmarks.load.LoadSink;
import org.tamanoir.benchmarks.process.CpuTime;
import org.tamanoir.benchmarks.process.CpuTime.MachineTime;

/**
 * Counters at an instant.
 *
 * @param count    what has come to the sink, by its own clock
 * @param received octets that have come to each back end
 * @param used     processor time of each back end
 */
record Reading(LoadSink.Count count, List<Long> received, List<CpuTime> used, CpuTime director, CpuTime ends, long soft, MachineTime machine, long nanos) {
    private static final SoftInterrupts SOFT = new SoftInterrupts();

    static Reading of(ClusterSite site, LoadSink sink, List<Long> ends) {
        LoadSink.Count count = sink.count();
        List<CpuTime> used = new ArrayList<>();
        for (int number : ScalingLab.all()) {
            used.add(CpuTime.of(site.node(number).pid()));
        }
        CpuTime director = CpuTime.of(site.director(1).group());
        CpuTime both = CpuTime.of(ends.stream().mapToLong(Long::longValue).toArray());
        long nanos = System.nanoTime();
        MachineTime machine = MachineTime.now();
        List<Long> received = site.testbed().backEnds().stream().map(port -> port.statistics().rxBytes()).toList();
        return new Reading(count, received, used, director, both, SOFT.nanos(), machine, nanos);
    }

    /** @param serving numbers of back ends, from 1 */
    Figures since(Reading before, ScalingCase what, List<Integer> serving) {
        double seconds = (nanos - before.nanos) / 1e9;
        List<Double> parts = new ArrayList<>();
        List<Double> shares = new ArrayList<>();
        double all = 0;
        for (int i = 0; i < received.size(); i++) {
            all += received.get(i) - before.received.get(i);
        }
        double others = 1;
        for (int number : serving) {
            parts.add(used.get(number - 1).since(before.used.get(number - 1)) / seconds / what.cap());
            double share = all == 0 ? 0 : (received.get(number - 1) - before.received.get(number - 1)) / all;
            shares.add(share);
            others -= share;
        }
        return new Figures((count.octets() - before.count.octets()) * 1e9 / (count.nanos() - before.count.nanos()), parts, shares, Math.max(0, others),
                director.since(before.director) / seconds, ends.since(before.ends) / seconds, (soft - before.soft) / 1e9 / seconds, machine.idleSince(before.machine));
    }
}
