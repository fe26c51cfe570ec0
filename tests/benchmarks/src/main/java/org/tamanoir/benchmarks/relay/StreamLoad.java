package org.tamanoir.benchmarks.relay;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.benchmarks.load.LoadSender;
import org.tamanoir.benchmarks.load.LoadSender.Trips;
import org.tamanoir.benchmarks.load.LoadSink;
import org.tamanoir.benchmarks.load.StreamRun;
import org.tamanoir.benchmarks.process.ProcessTree;
import org.tamanoir.benchmarks.relay.RelayCase.Metric;
import org.tamanoir.benchmarks.relay.RelayPlan.Placement;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Port;

/** Streams from the client to the server. */
final class StreamLoad implements RelayLoad {
    /** Enough for TCP's windows to open. */
    private static final Duration WARM_UP = Duration.ofMillis(300);
    private static final Duration CHECK = Duration.ofSeconds(1);

    private final RelayPlan plan;
    private final LoadSender sender;
    private final LoadSink sink;

    StreamLoad(RelayPlan plan, Host client, Port server) {
        this.plan = plan;
        sender = LoadSender.start(command -> client.start("sender", command));
        sink = LoadSink.start(command -> server.host().start("sink", command), server.ipv4());
    }

    @Override
    public List<InetSocketAddress> destinations() {
        return List.of(sink.load(), sink.echo());
    }

    @Override
    public String placement() {
        return "streams " + plan.throughput() + ", round trips " + plan.roundTrip();
    }

    @Override
    public void reach(InetSocketAddress entry) {
        sender.reach(entry);
    }

    @Override
    public void check(RelaySystem system, int packet) {
        run(system, packet, Collections.max(plan.streams())).check(CHECK);
    }

    @Override
    public Map<Metric, Double> measure(RelayCase what, RelaySystem system) {
        Placement placement = what.work().isTrips() ? plan.roundTrip() : plan.throughput();
        placement.apply(List.of(new ProcessTree(sender.pid()), new ProcessTree(sink.pid())), system.processes());
        if (what.work().isTrips()) {
            Trips trips = sender.ping(system.echo(), sink.echo(), WARM_UP, plan.run());
            return Map.of(Metric.P50, trips.p50() / 1e3, Metric.P99, trips.p99() / 1e3);
        }
        StreamRun.Figures figures = run(system, what.packet(), what.streams()).measure(WARM_UP, plan.run());
        Map<Metric, Double> found = new EnumMap<>(Metric.class);
        found.put(Metric.THROUGHPUT, figures.octetsPerSecond() * 8 / 1e9);
        found.put(Metric.PACKETS, figures.octetsPerSecond() / what.packet());
        figures.cpuSecondsPerGigabyte().ifPresent(seconds -> found.put(Metric.CPU, seconds));
        figures.peakOctets().ifPresent(octets -> found.put(Metric.PEAK, octets / 1e6));
        return found;
    }

    private StreamRun run(RelaySystem system, int packet, int streams) {
        return new StreamRun(sender, sink, system.load(), system.processes(), packet, streams);
    }
}
