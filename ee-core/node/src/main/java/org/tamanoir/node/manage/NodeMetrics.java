package org.tamanoir.node.manage;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.LongAdder;
import org.tamanoir.identity.Identity;
import org.tamanoir.node.cluster.ClusterMember;
import org.tamanoir.node.deploy.Deployer;
import org.tamanoir.node.link.LinkCounters;
import org.tamanoir.node.offload.Offload;
import org.tamanoir.node.probe.ProbeCounters;
import org.tamanoir.node.routing.PoolTable;
import org.tamanoir.node.service.ServiceEvents;
import org.tamanoir.node.service.ServiceRegistry;
import org.tamanoir.node.stream.Overload;
import org.tamanoir.node.stream.StreamCounters;
import org.tamanoir.node.stream.Streams;

/** The metrics of a node. Everything is read when somebody scrapes; docs/operating.md lists the names. */
public final class NodeMetrics {
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final ServicesCollector ofServices = new ServicesCollector();

    /** What services count themselves. */
    ServicesCollector ofServices() {
        return ofServices;
    }

    /** When the node's own certificate expires. */
    void watch(Identity identity) {
        Gauge.builder("tamanoir.certificate.expires.seconds", identity, own -> Duration.between(Instant.now(), own.until()).toSeconds())
                .description("Seconds until the certificate of this node expires; less than 0 when it has.").register(registry);
    }

    void watch(Streams streams, ServiceRegistry services, Deployer deployer, ServiceEvents events, Offload offload) {
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        StreamCounters counters = streams.counters();
        counter("tamanoir.streams.opened", "Streams that were let in.", counters.opened());
        counter("tamanoir.streams.on.kept.connections", "Streams that came on a connection that an earlier one had left.", counters.reused());
        counter("tamanoir.streams.completed", "Streams that ended in good order.", counters.completed());
        counter("tamanoir.packets.in", "Packets from the side of the source.", counters.packetsIn());
        counter("tamanoir.bytes.in", "Octets from the side of the source.", counters.bytesIn());
        counter("tamanoir.bytes.out", "Octets given to next hops.", counters.bytesOut());
        counter("tamanoir.packets.back", "Packets from the side of the destination.", counters.packetsBack());
        counter("tamanoir.bytes.back", "Octets from the side of the destination.", counters.bytesBack());
        counter("tamanoir.bytes.returned", "Octets given to sources.", counters.bytesReturned());
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
        Gauge.builder("tamanoir.streams", streams, Streams::count).description("Streams now.").register(registry);
        Gauge.builder("tamanoir.memory.bytes", streams, Streams::retained).description("Octets of memory that streams retain, by the capacity of their buffers.").register(registry);
        for (Overload.Resource resource : Overload.Resource.values()) {
            Gauge.builder("tamanoir.usage", streams.overload(), overload -> overload.usage(resource)).tag("resource", Overload.word(resource))
                    .description("Part of a resource that is in use, 0 to 1; from 0.8 on streams of strangers are refused, from 0.9 on all.").register(registry);
        }
        registry.getPrometheusRegistry().register(new RunningServicesCollector(services, deployer.operator(), events));
        registry.getPrometheusRegistry().register(ofServices);
        registry.getPrometheusRegistry().register(new RulesCollector(offload));
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

    private void refused(String reason, LongAdder value) {
        FunctionCounter.builder("tamanoir.probes.refused", value, LongAdder::sum).tag("reason", reason)
                .description("Datagrams at the reflector that were not answered, by reason.").register(registry);
    }

    private void counter(String name, String help, LongAdder value) {
        FunctionCounter.builder(name, value, LongAdder::sum).description(help).register(registry);
    }

    /** All of it as Prometheus text, version 0.0.4. */
    String scrape() {
        return registry.scrape();
    }

    MeterRegistry meters() {
        return registry;
    }
}
