package org.tamanoir.node.manage;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.tamanoir.http.Response;
import org.tamanoir.identity.Identity;
import org.tamanoir.node.cluster.ClusterMember;
import org.tamanoir.node.cluster.MemberStatus;
import org.tamanoir.node.cluster.MemberStatus.FrontendStatus;
import org.tamanoir.node.deploy.Deployer;
import org.tamanoir.node.deploy.RepositoryMetadata;
import org.tamanoir.node.firefly.Fireflies;
import org.tamanoir.node.fleet.FleetAgent;
import org.tamanoir.node.link.LinkCounters;
import org.tamanoir.node.offload.Offload;
import org.tamanoir.node.probe.ProbeService.ProbeCounters;
import org.tamanoir.node.routing.PoolTable;
import org.tamanoir.node.routing.RouteTable;
import org.tamanoir.node.routing.ToldExchange;
import org.tamanoir.node.service.ServiceEvents;
import org.tamanoir.node.service.ServiceRegistry;
import org.tamanoir.node.stream.NodeStreams;
import org.tamanoir.node.stream.Overload;
import org.tamanoir.node.stream.StreamCounters;
import org.tamanoir.node.tcpstate.TcpStates;
import org.tamanoir.node.trace.Traces;
import org.tamanoir.node.tuning.Tuning;
import org.tamanoir.node.waits.WaitTimes;

/** The metrics of a node. Everything is read when somebody scrapes; docs/operating.md lists the names. */
public final class NodeMetrics {
    /** About what a page has. */
    private static final int PAGE_OCTETS = 64 << 10;

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final ServicesCollector ofServices = new ServicesCollector();
    private final ExpositionFormats formats = ExpositionFormats.init();

    /** What services count themselves. */
    ServicesCollector ofServices() {
        return ofServices;
    }

    /** When the node's own certificate expires. */
    void watch(Identity identity) {
        Gauge.builder("tamanoir.certificate.expires.seconds", identity, own -> Duration.between(Instant.now(), own.until()).toSeconds())
                .description("Seconds until the certificate of this node expires; less than 0 when it has.").register(registry);
    }

    void watch(NodeStreams streams, ServiceRegistry services, Deployer deployer, ServiceEvents events, Offload offload) {
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        StreamCounters counters = streams.counters();
        counter("tamanoir.streams.opened", "Streams that were let in.", counters.opened());
        counter("tamanoir.streams.on.kept.connections", "Streams that came on a connection that an earlier one had left.", counters.reused());
        counter("tamanoir.streams.completed", "Streams that ended cleanly.", counters.completed());
        counter("tamanoir.packets.in", "Packets from the side of the source.", counters.packetsIn());
        counter("tamanoir.bytes.in", "Octets from the side of the source.", counters.bytesIn());
        counter("tamanoir.bytes.out", "Octets given to next hops.", counters.bytesOut());
        counter("tamanoir.packets.back", "Packets from the side of the destination.", counters.packetsBack());
        counter("tamanoir.bytes.back", "Octets from the side of the destination.", counters.bytesBack());
        counter("tamanoir.bytes.returned", "Octets given to sources.", counters.bytesReturned());
        counter("tamanoir.next.hops.left", "Streams that took another next hop of their route because one could not be reached or took no streams.", counters.hopsLeft());
        counter("tamanoir.datagrams.unproven", "Answers dropped because the sender has not shown that it is where it says.", counters.datagramsUnproven());
        counter("tamanoir.datagrams.over.rate", "Datagrams dropped because their sender may send no more by the access policy.", counters.datagramsOverRate());
        counter("tamanoir.datagrams.overflowed", "Datagrams dropped for want of room.", counters.datagramsOverflowed());
        counter("tamanoir.services.left.out", "Services that could not be had and were left out.", counters.servicesLeftOut());
        counters.errors().forEach((code, count) -> FunctionCounter.builder("tamanoir.errors", count, LongAdder::sum)
                .description("Packets and streams that met an error, by its code.").tag("code", code.toString()).register(registry));
        LinkCounters links = streams.links().counters();
        counter("tamanoir.link.packets.in", "Datagrams without a destination that came for a service.", links.in());
        counter("tamanoir.link.bytes.in", "Octets of them.", links.inOctets());
        counter("tamanoir.link.packets.out", "Datagrams that services have sent on links.", links.out());
        counter("tamanoir.link.bytes.out", "Octets of them.", links.outOctets());
        links.dropped().forEach((reason, count) -> FunctionCounter.builder("tamanoir.link.dropped", count, LongAdder::sum)
                .description("Datagrams of links that went no further, by reason.").tag("reason", reason.word()).register(registry));
        Gauge.builder("tamanoir.streams", streams, NodeStreams::count).description("Streams now.").register(registry);
        Gauge.builder("tamanoir.memory.bytes", streams, NodeStreams::retained).description("Octets of memory that streams retain, by the capacity of their buffers.").register(registry);
        Gauge.builder("tamanoir.memory.limit.bytes", streams, each -> each.limits().memory()).description("Octets of memory that streams may retain.").register(registry);
        Gauge.builder("tamanoir.streams.limit", streams, each -> each.limits().streams()).description("Streams that there may be, of TCP and of UDP each.").register(registry);
        streams.counters().waits().all().forEach(this::watch);
        watch(deployer.syncs());
        for (Overload.Resource resource : Overload.Resource.values()) {
            Gauge.builder("tamanoir.usage", streams.overload(), overload -> overload.usage(resource)).tag("resource", Overload.word(resource))
                    .description("Part of a resource that is in use, 0 to 1; from 0.8 on streams of strangers are refused, from 0.9 on all.").register(registry);
        }
        registry.getPrometheusRegistry().register(new MetadataCollector(deployer.metadata()));
        registry.getPrometheusRegistry().register(new RunningServicesCollector(services, deployer.operator(), events));
        registry.getPrometheusRegistry().register(ofServices);
        registry.getPrometheusRegistry().register(new RulesCollector(offload));
    }

    void watch(WaitTimes waits) {
        registry.getPrometheusRegistry().register(waits.collector());
    }

    void watch(ProbeCounters probes) {
        counter("tamanoir.probes.answered", "Probes of others that were answered.", probes.answered());
        counter("tamanoir.probes.sent", "Own probes that the kernel took.", probes.sent());
        counter("tamanoir.probes.received", "Answers to own probes.", probes.received());
        counter("tamanoir.probes.unmatched", "Datagrams that answer no probe under way: late, twice or forged.", probes.unmatched());
        refused("rate", probes.overRate());
        refused("malformed", probes.malformed());
        refused("looped", probes.looped());
        refused("unsent", probes.unsent());
    }

    void watch(ClusterMember cluster) {
        registry.getPrometheusRegistry().register(new ClusterCollector(cluster));
    }

    void watch(PoolTable pools) {
        registry.getPrometheusRegistry().register(new PoolsCollector(pools));
    }

    void watch(RouteTable routes) {
        registry.getPrometheusRegistry().register(new HopsCollector(routes));
    }

    void watch(ToldExchange told) {
        registry.getPrometheusRegistry().register(new ToldCollector(told));
    }

    void watch(TcpStates tcp) {
        counter("tamanoir.tcp.reads", "Connections of which the TCP state was read.", tcp.counters().reads());
        counter("tamanoir.tcp.skipped", "Samples of streams that came later than they were due, because the loop may read no more in a second.", tcp.counters().skipped());
        Gauge.builder("tamanoir.tcp.memory.bytes", tcp.counters().held(), AtomicLong::get).description("Octets of memory that samples of TCP state take.").register(registry);
        registry.getPrometheusRegistry().register(new VerdictsCollector(tcp));
    }

    void watch(FleetAgent agent) {
        registry.getPrometheusRegistry().register(new FleetCollector(agent));
    }

    void watch(Tuning tuning) {
        counter("tamanoir.tuning.taken.back", "Rules for tuning that were taken back because they did harm.", tuning.takenBack());
        registry.getPrometheusRegistry().register(new TuningCollector(tuning));
    }

    void watch(Fireflies fireflies) {
        counter("tamanoir.fireflies.sent", "Messages to the collector of SciTags that the system has taken.", fireflies.sent());
        counter("tamanoir.fireflies.dropped", "Messages to it that were dropped: more than may be sent in a second, or not taken.", fireflies.dropped());
    }

    void watch(Traces traces) {
        counter("tamanoir.traces.streams", "Streams that were recorded as part of a trace.", traces.begun());
        counter("tamanoir.traces.sent", "Spans that the collector of traces has taken.", traces.sent());
        counter("tamanoir.traces.dropped", "Spans that were dropped: too many waited, or the collector has not taken them.", traces.dropped());
    }

    private void refused(String reason, LongAdder value) {
        FunctionCounter.builder("tamanoir.probes.refused", value, LongAdder::sum).tag("reason", reason)
                .description("Datagrams at the reflector that were not answered, by reason.").register(registry);
    }

    private void counter(String name, String help, LongAdder value) {
        FunctionCounter.builder(name, value, LongAdder::sum).description(help).register(registry);
    }

    /**
     * All of it.
     *
     * @param accept what the scraper asks for, as HTTP has it: protobuf, in which alone native histograms go, or OpenMetrics; null or anything else gets text of
     *     version 0.0.4
     */
    Response scrape(String accept) {
        ExpositionFormatWriter writer = formats.findWriter(accept);
        ByteArrayOutputStream page = new ByteArrayOutputStream(PAGE_OCTETS);
        try {
            writer.write(page, registry.getPrometheusRegistry().scrape());
        } catch (IOException e) {
            throw new UncheckedIOException("memory is written to", e);
        }
        return Response.bytes(200, writer.getContentType(), page.toByteArray());
    }

    MeterRegistry meters() {
        return registry;
    }

    /** The next hops of the routes. */
    static final class HopsCollector implements MultiCollector {
        private final RouteTable routes;

        HopsCollector(RouteTable routes) {
            this.routes = routes;
        }

        @Override
        public MetricSnapshots collect() {
            GaugeSnapshot.Builder takes = GaugeSnapshot.builder().name("tamanoir_next_hop_takes_streams").help("1 if a next hop is taken to take streams, otherwise 0.");
            CounterSnapshot.Builder streams = CounterSnapshot.builder().name("tamanoir_next_hop_streams").help("Streams that have reached a next hop.");
            CounterSnapshot.Builder failures = CounterSnapshot.builder().name("tamanoir_next_hop_failures").help("Streams that could not reach a next hop.");
            routes.hops().each(routes.all()).forEach(hop -> {
                Labels labels = Labels.of("hop", hop.to());
                takes.dataPoint(GaugeDataPointSnapshot.builder().labels(labels).value(hop.takesStreams() ? 1 : 0).build());
                streams.dataPoint(CounterDataPointSnapshot.builder().labels(labels).value(hop.streams()).build());
                failures.dataPoint(CounterDataPointSnapshot.builder().labels(labels).value(hop.failures()).build());
            });
            return new MetricSnapshots(takes.build(), streams.build(), failures.build());
        }
    }

    /** What neighbours tell of their routes; nothing where none is listed. */
    static final class ToldCollector implements MultiCollector {
        private final ToldExchange told;

        ToldCollector(ToldExchange told) {
            this.told = told;
        }

        @Override
        public MetricSnapshots collect() {
            GaugeSnapshot.Builder up = GaugeSnapshot.builder().name("tamanoir_told_neighbour_up").help("1 if this node and a neighbour hear each other, otherwise 0.");
            GaugeSnapshot.Builder believed = GaugeSnapshot.builder().name("tamanoir_told_routes").help("Prefixes to which a neighbour tells a way that is believed.");
            CounterSnapshot.Builder refused = CounterSnapshot.builder().name("tamanoir_told_refused").help("What a neighbour told and was not taken, by reason.");
            told.status().forEach(each -> {
                Labels labels = Labels.of("neighbour", each.at());
                up.dataPoint(GaugeDataPointSnapshot.builder().labels(labels).value(each.isUp() ? 1 : 0).build());
                believed.dataPoint(GaugeDataPointSnapshot.builder().labels(labels).value(each.believed()).build());
                each.refused().forEach((why, count) -> refused.dataPoint(CounterDataPointSnapshot.builder()
                        .labels(Labels.of("neighbour", each.at(), "reason", why)).value(count).build()));
            });
            return new MetricSnapshots(up.build(), believed.build(), refused.build());
        }
    }

    /** What holds streams up. Judged when somebody scrapes. */
    static final class VerdictsCollector implements Collector {
        private final TcpStates tcp;

        VerdictsCollector(TcpStates tcp) {
            this.tcp = tcp;
        }

        @Override
        public MetricSnapshot collect() {
            GaugeSnapshot.Builder streams = GaugeSnapshot.builder().name("tamanoir_tcp_verdicts").help("TCP streams by what holds them up now.");
            tcp.causes().forEach((cause, count) -> streams.dataPoint(GaugeDataPointSnapshot.builder().labels(Labels.of("cause", cause.toString())).value(count).build()));
            return streams.build();
        }
    }

    /** When the metadata of repositories expires; nothing of those that have none. */
    static final class MetadataCollector implements Collector {
        private static final double MILLIS_A_SECOND = 1000;

        private final RepositoryMetadata metadata;

        MetadataCollector(RepositoryMetadata metadata) {
            this.metadata = metadata;
        }

        @Override
        public MetricSnapshot collect() {
            GaugeSnapshot.Builder expires = GaugeSnapshot.builder().name("tamanoir_tuf_expires_seconds")
                    .help("Seconds until the TUF metadata of a repository's role expires; less than 0 when it has: then nothing new is taken.");
            Instant now = Instant.now();
            metadata.followers().forEach(each -> each.expiries().forEach((role, time) -> expires.dataPoint(GaugeDataPointSnapshot.builder()
                    .labels(Labels.of("repository", each.name(), "role", role)).value(Duration.between(now, time).toMillis() / MILLIS_A_SECOND).build())));
            return expires.build();
        }
    }

    /** What a node hands to pools. */
    static final class PoolsCollector implements Collector {
        private final PoolTable pools;

        PoolsCollector(PoolTable pools) {
            this.pools = pools;
        }

        @Override
        public MetricSnapshot collect() {
            CounterSnapshot.Builder handed = CounterSnapshot.builder().name("tamanoir_streams_handed")
                    .help("Streams that others serve in the place of this node, by the address of their pool.");
            pools.counts().forEach((pool, count) -> handed.dataPoint(CounterDataPointSnapshot.builder().labels(Labels.of("pool", pool)).value(count).build()));
            return handed.build();
        }
    }

    /** How a node is as a back end; nothing of one that is in no cluster. */
    static final class ClusterCollector implements MultiCollector {
        private static final double MILLIS_A_SECOND = 1000;

        private final ClusterMember cluster;

        ClusterCollector(ClusterMember cluster) {
            this.cluster = cluster;
        }

        @Override
        public MetricSnapshots collect() {
            MemberStatus status = cluster.status();
            if (status == null) {
                return new MetricSnapshots();
            }
            GaugeSnapshot.Builder in = GaugeSnapshot.builder().name("tamanoir_cluster_in").help("1 if a front-end sends streams here, otherwise 0.");
            CounterSnapshot.Builder taken = CounterSnapshot.builder().name("tamanoir_cluster_reports").help("Reports that a front-end has taken.");
            CounterSnapshot.Builder failed = CounterSnapshot.builder().name("tamanoir_cluster_reports_failed").help("Reports that a front-end has not taken.");
            for (FrontendStatus each : status.frontends()) {
                Labels labels = Labels.of("frontend", each.url());
                in.dataPoint(point(labels, each.standing().equals("in") ? 1 : 0));
                taken.dataPoint(CounterDataPointSnapshot.builder().labels(labels).value(each.reports()).build());
                failed.dataPoint(CounterDataPointSnapshot.builder().labels(labels).value(each.failed()).build());
            }
            return new MetricSnapshots(in.build(), taken.build(), failed.build(),
                    gauge("tamanoir_cluster_problems", "What is wrong with this machine as a back end.", status.problems().size()),
                    gauge("tamanoir_cluster_lag_seconds", "How late event loops have run what was due, the largest of the last second.", status.load().lagMillis() / MILLIS_A_SECOND),
                    gauge("tamanoir_cluster_queued_bytes", "Octets that wait for services and receivers.", status.load().queuedOctets()),
                    gauge("tamanoir_cluster_cpu_ratio", "Of the processor time that the process may use, what it has used in the last second.", status.load().cpu()));
        }

        private static GaugeSnapshot gauge(String name, String help, double value) {
            return GaugeSnapshot.builder().name(name).help(help).dataPoint(point(Labels.EMPTY, value)).build();
        }

        private static GaugeDataPointSnapshot point(Labels labels, double value) {
            return GaugeDataPointSnapshot.builder().labels(labels).value(value).build();
        }
    }
}
