package org.tamanoir.cluster.frontend;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToLongFunction;
import org.tamanoir.cluster.engine.Engine;
import org.tamanoir.cluster.engine.Engine.Counters;
import org.tamanoir.cluster.member.Event;
import org.tamanoir.cluster.member.Member;
import org.tamanoir.membership.Addresses;

/** The metrics of a front-end: each virtual service and back end as ipvsadm has them. Everything is read when somebody scrapes. */
final class FrontendMetrics implements MultiCollector {
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final ClusterState cluster;
    private final Engine engine;

    FrontendMetrics(ClusterState cluster, Engine engine, Map<Event.What, LongAdder> events) {
        this.cluster = cluster;
        this.engine = engine;
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        events.forEach((what, count) -> FunctionCounter.builder("tamanoir.frontend.events", count, LongAdder::sum)
                .tag("what", what.name().toLowerCase(Locale.ROOT)).description("What happened to back ends.").register(registry));
        Gauge.builder("tamanoir.frontend.carries", engine, of -> of.status().carries() ? 1 : 0)
                .description("Whether the director carries the plan: 1 or 0.").register(registry);
        cluster.upgradesEnded().forEach((how, count) -> FunctionCounter.builder("tamanoir.frontend.upgrades", count, LongAdder::sum)
                .tag("end", how.name().toLowerCase(Locale.ROOT)).description("Rolling upgrades that have ended.").register(registry));
        Gauge.builder("tamanoir.frontend.upgrading", cluster, of -> of.lastUpgrade() != null && !of.lastUpgrade().state().isEnd() ? 1 : 0)
                .description("Whether a rolling upgrade runs: 1 or 0.").register(registry);
        registry.getPrometheusRegistry().register(this);
    }

    String scrape() {
        return registry.scrape();
    }

    @Override
    public MetricSnapshots collect() {
        List<Counters> counters = engine.counters();
        return MetricSnapshots.of(counter("connections", "Connections to a back end.", counters, Counters::connections),
                counter("packets_in", "Packets to a back end.", counters, Counters::inPackets),
                counter("packets_out", "Packets from a back end, where answers go through the director.", counters, Counters::outPackets),
                counter("bytes_in", "Octets to a back end.", counters, Counters::inOctets),
                counter("bytes_out", "Octets from a back end, where answers go through the director.", counters, Counters::outOctets),
                gauge("active", "Connections that are established.", counters, Counters::active),
                gauge("inactive", "Connections that wait for their end.", counters, Counters::inactive),
                gauge("connection_rate", "Connections a second.", counters, Counters::connectionRate),
                gauge("byte_rate_in", "Octets a second to a back end.", counters, Counters::inOctetRate),
                gauge("byte_rate_out", "Octets a second from a back end.", counters, Counters::outOctetRate),
                weights(), members());
    }

    private static CounterSnapshot counter(String name, String help, List<Counters> counters, ToLongFunction<Counters> value) {
        CounterSnapshot.Builder all = CounterSnapshot.builder().name("tamanoir_frontend_" + name).help(help);
        counters.forEach(each -> all.dataPoint(CounterSnapshot.CounterDataPointSnapshot.builder().value(value.applyAsLong(each)).labels(labels(each)).build()));
        return all.build();
    }

    private static GaugeSnapshot gauge(String name, String help, List<Counters> counters, ToLongFunction<Counters> value) {
        GaugeSnapshot.Builder all = GaugeSnapshot.builder().name("tamanoir_frontend_" + name).help(help);
        counters.forEach(each -> all.dataPoint(GaugeSnapshot.GaugeDataPointSnapshot.builder().value(value.applyAsLong(each)).labels(labels(each)).build()));
        return all.build();
    }

    private static Labels labels(Counters of) {
        return Labels.of("pool", of.service().pool(), "virtual", Addresses.text(of.service().address()) + ":" + of.service().port(), "transport",
                of.service().transport().name().toLowerCase(Locale.ROOT), "backend", of.server().name());
    }

    private GaugeSnapshot weights() {
        GaugeSnapshot.Builder all = GaugeSnapshot.builder().name("tamanoir_frontend_weight").help("Share of new streams, against the others of the pool.");
        cluster.weights().forEach((name, weight) -> all.dataPoint(GaugeSnapshot.GaugeDataPointSnapshot.builder().value(weight)
                .labels(Labels.of("backend", name)).build()));
        return all.build();
    }

    private GaugeSnapshot members() {
        GaugeSnapshot.Builder all = GaugeSnapshot.builder().name("tamanoir_frontend_backend").help("1 for the standing that a back end has.");
        for (Member member : cluster.members()) {
            all.dataPoint(GaugeSnapshot.GaugeDataPointSnapshot.builder().value(1).labels(Labels.of("backend", member.name(), "pool", member.pool(),
                    "standing", member.out() ? "out" : member.standing().name().toLowerCase(Locale.ROOT))).build());
        }
        return all.build();
    }
}
