package org.tamanoir.services.qosmonitoring;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.osgi.service.component.annotations.Component;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Configuration;
import org.tamanoir.service.Inspected;
import org.tamanoir.service.Metrics;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.qos.ClassSample;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.QosMonitoring;
import org.tamanoir.service.qos.Segment;

/** Measures classes on segments with the node's probes. Type ID 0x5407. */
@Component(service = ActiveService.class)
public final class SegmentMonitoring implements ActiveService, QosMonitoring, Inspected {
    /** What {@code inspect} answers. */
    private static final String PATHS = "paths";

    private ServiceContext service;
    private Monitor monitor;
    /** Its successor probes in its place; if it is asked to watch all the same, that one has failed. */
    private volatile boolean succeeded;
    private volatile boolean stopped;

    @Override
    public void start(ServiceContext context) {
        service = context;
        monitor = new Monitor(MonitoringSettings.of(context.configuration()), context.nanoTime());
        inherit(context.inherited());
        register(context.metrics());
        context.later(Duration.ZERO, this::step);
    }

    private void inherit(Map<String, Object> inherited) {
        try {
            monitor.look(view -> Handover.load(inherited, view), service.nanoTime());
        } catch (RuntimeException e) {
            service.logger().warn("What the version before has handed over cannot be read; everything is measured anew", e);
        }
    }

    private void register(Metrics metrics) {
        counter(metrics, "probe_octets", "Octets of IP packets of probes that were sent.", counters -> counters.octets);
        counter(metrics, "probes", "Probes that were sent.", counters -> counters.probes);
        counter(metrics, "probes_answered", "Probes that were answered in time.", counters -> counters.answered);
        counter(metrics, "light_trains", "Trains for delay and loss.", counters -> counters.lightTrains);
        counter(metrics, "throughput_trains", "Trains for throughput.", counters -> counters.throughputTrains);
        counter(metrics, "left_out", "Trains for throughput that flows made superfluous.", counters -> counters.leftOut);
        counter(metrics, "not_sent", "Trains that the node did not send.", counters -> counters.notSent);
        counter(metrics, "untold", "Trains of which the node told nothing.", counters -> counters.untold);
        counter(metrics, "implausible", "Answers to what was not asked, second ones, and those with times that cannot be.",
                counters -> counters.implausible);
        counter(metrics, "flows", "Measurements by flows.", counters -> counters.flows);
        counter(metrics, "refused", "Calls for a segment over the bound.", counters -> counters.refused);
        gauge(metrics, "budget_octets", "Octets of probes a second that may be sent.", view -> view.budget().rate());
        gauge(metrics, "stretched", "By how much the time between light trains is longer than asked for.", view -> view.shares().light());
        gauge(metrics, "stretched_throughput", "By how much the time between trains for throughput is longer than asked for.",
                view -> view.shares().throughput());
        gauge(metrics, "segments", "Segments that are measured.", view -> (double) view.segments().size());
        gauge(metrics, "trains_under_way", "Trains that have been sent and not told of yet.", view -> (double) view.underWay());
    }

    private void counter(Metrics metrics, String name, String help, ToLongFunction<MonitorCounters> value) {
        metrics.counter(name, help, () -> monitor.look(view -> value.applyAsLong(view.counters()), service.nanoTime()));
    }

    private void gauge(Metrics metrics, String name, String help, Monitor.Look<Number> value) {
        metrics.gauge(name, help, () -> monitor.look(value, service.nanoTime()).doubleValue());
    }

    private void step() {
        if (stopped) {
            return;
        }
        try {
            if (!succeeded) {
                monitor.due(service.nanoTime()).forEach(this::send);
            }
        } finally {
            service.later(monitor.step(), this::step);
        }
    }

    private void send(ProbeOrder order) {
        if (!service.probes().send(order.train(), answers -> monitor.answered(order, answers, service.nanoTime()))) {
            monitor.notSent(order, service.nanoTime());
        }
    }

    @Override
    public void watch(Segment segment, Collection<QosClass> classes) {
        succeeded = false;
        monitor.watch(segment, classes, service.nanoTime());
    }

    @Override
    public Map<String, ClassSample> samples(Segment segment) {
        return monitor.samples(segment, service.nanoTime());
    }

    @Override
    public void carried(Segment segment, String className, long octets, long nanos, boolean limited) {
        monitor.carried(segment, className, octets, nanos, limited, service.nanoTime());
    }

    @Override
    public void carried(Segment segment, String className, long flow, long octets, long nanos, HeldBack by) {
        monitor.carried(segment, className, flow, octets, nanos, by, service.nanoTime());
    }

    @Override
    public Map<String, Object> inspect(String what, Map<String, String> parameters) {
        if (!what.equals(PATHS)) {
            throw new AnepException(ErrorCode.NOT_FOUND, "qos-monitoring shows '" + PATHS + "' and not '" + what + "'");
        }
        return monitor.report(service.nanoTime());
    }

    /** It is a partner of other services: packets of streams have nothing to do here. */
    @Override
    public StreamHandler open(StreamContext stream) {
        throw new AnepException(ErrorCode.BAD_OPTION_VALUE, "qos-monitoring measures for other services and takes no streams");
    }

    @Override
    public boolean reconfigure(Configuration configuration) {
        monitor.change(MonitoringSettings.of(configuration), service.nanoTime());
        return true;
    }

    @Override
    public Map<String, Object> handOver() {
        succeeded = true;
        return monitor.look(Handover::save, service.nanoTime());
    }

    @Override
    public void stop() {
        stopped = true;
    }
}
