package org.tamanoir.benchmarks.cluster.scaling;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.benchmarks.cluster.scaling.Figures.Reading;
import org.tamanoir.benchmarks.cluster.site.ClusterSite;
import org.tamanoir.benchmarks.load.LoadSender;
import org.tamanoir.benchmarks.load.LoadSink;
import org.tamanoir.benchmarks.process.CpuGroup;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.Port;

/** A cluster with one director, a control group around each back end, and a load that is as fast as it is taken. */
final class ScalingLab implements AutoCloseable {
    /** A back end with a few hundredths of a processor is slow to answer, and alive. */
    private static final String TIMING = "period: 2s\ncheck: {period: 2s, timeout: 4s, failures: 3}\n";
    /** What waits in sockets must be through the caps before a stream shows their rate. */
    private static final String BUFFERS = "4096 131072 1048576";
    private static final Duration FILLING = Duration.ofMillis(1500);
    /** Until a director has heard who serves. */
    private static final int SETTLING_MILLIS = 1000;
    /** Two of the steps in which weights change: eight streams each become seven and nine. */
    private static final double EVEN = 1.35;

    private final List<CpuGroup> groups = new ArrayList<>();
    private final ClusterSite site;
    private final NodeProcess far;
    private final LoadSender sender;
    private final LoadSink sink;
    private final LoadSink farSink;
    private List<Integer> serving = ClusterSite.ALL;

    ScalingLab() {
        try {
            // First: without them there is nothing to boot a director for.
            ClusterSite.ALL.forEach(number -> groups.add(CpuGroup.open()));
            site = new ClusterSite(1, TIMING, "");
        } catch (RuntimeException e) {
            groups.forEach(CpuGroup::close);
            throw e;
        }
        try {
            far = site.startFar();
            site.testbed().backEnds().forEach(ScalingLab::bound);
            bound(site.testbed().client());
            sender = LoadSender.start(command -> site.testbed().client().host().start("sender", command));
            sink = sink(site.receiver());
            farSink = sink(site.far());
            ClusterSite.ALL.forEach(number -> groups.get(number - 1).add(site.node(number).pid()));
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private static void bound(Port port) {
        port.host().sysctl("net.ipv4.tcp_rmem", BUFFERS);
        port.host().sysctl("net.ipv4.tcp_wmem", BUFFERS);
    }

    private static LoadSink sink(Port port) {
        return LoadSink.start(command -> port.host().start("sink", command), port.ipv4());
    }

    /**
     * Has some back ends serve and the others not. They weigh about the same then: all streams of a run begin at once, and one that rested while others worked
     * would get most of them.
     */
    void serve(List<Integer> numbers) {
        if (numbers.equals(serving)) {
            return;
        }
        numbers.stream().filter(number -> !serving.contains(number)).forEach(number -> site.serve(number, true));
        serving.stream().filter(number -> !numbers.contains(number)).forEach(number -> site.serve(number, false));
        serving = numbers;
        Pause.millis(SETTLING_MILLIS);
        site.awaitEven(numbers, EVEN);
    }

    /** Some streams without caps: what is compiled, loaded and fetched at first is not measured. @throws LabException as {@link #run} */
    void warmUp(Scaling.Case what, int streams, Duration duration) {
        start(what, streams);
        Pause.of(duration);
        end(what, streams);
    }

    /**
     * Measures streams through the back ends that serve, all back ends capped.
     *
     * @throws LabException if a stream breaks, or not every octet arrives as it was sent
     */
    Figures run(Scaling.Case what, int streams, Duration duration) {
        ClusterSite.ALL.forEach(number -> groups.get(number - 1).releaseCompilers(site.node(number).pid()));
        groups.forEach(group -> group.limit(what.cap()));
        Figures figures;
        try {
            start(what, streams);
            Pause.of(FILLING);
            Reading before = read(what);
            Pause.of(duration);
            figures = read(what).since(before, what.cap(), serving);
        } finally {
            groups.forEach(CpuGroup::unlimited);
        }
        end(what, streams);
        return figures;
    }

    private Reading read(Scaling.Case what) {
        return Reading.of(site, groups, sink(what), sender.pid(), sink.pid(), farSink.pid(), far.pid());
    }

    private LoadSink sink(Scaling.Case what) {
        return what.far() ? farSink : sink;
    }

    private void start(Scaling.Case what, int streams) {
        sink(what).begin(what.kind(), what.packet(), true);
        sender.start(site.virtual(), sink(what).load(), what.kind(), what.packet(), streams);
    }

    private void end(Scaling.Case what, int streams) {
        sink(what).end(streams, sender.stop());
    }

    @Override
    public void close() {
        site.close();
        groups.forEach(CpuGroup::close);
    }
}
