package org.tamanoir.services.theodolite;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.osgi.service.component.annotations.Component;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.FlowSink;
import org.tamanoir.service.Inspected;
import org.tamanoir.service.Metrics;
import org.tamanoir.service.Partner;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;
import org.tamanoir.service.tcp.TcpStreams;
import org.tamanoir.service.tcp.TcpStreams.Report;

/** Measures as an observatory plans, and is the other end of what others measure. Type ID 0x540A. */
@Component(service = ActiveService.class)
public final class Theodolite implements FlowSink, Inspected {
    static final int TYPE = 0x540A;
    private static final String STATE = "state";
    private static final Duration LOOK = Duration.ofSeconds(30);
    private static final Duration STREAMS = Duration.ofSeconds(1);
    private static final String LINES = "lines";
    private static final String CHUNKS = "chunks";
    /** That wait for the observatory: a minute of one connection each, about 10 kB. */
    private static final int MOST_CHUNKS = 500;

    private ServiceContext service;
    private TheodoliteSettings settings;
    private Alarms alarms;
    private SampleBuffer samples;
    private Sessions sessions;
    private Slots slots;
    private Uplink uplink;
    private WaitingStore waiting;
    private StreamReports streams;
    private SampleBuffer chunks;
    private SeriesRecorder series;
    private Partner<FlowSink> current;
    private boolean rests;

    @Override
    public void start(ServiceContext context) {
        service = context;
        settings = TheodoliteSettings.of(context.configuration(), context.node().name());
        alarms = new Alarms(context);
        long boot = System.currentTimeMillis();
        samples = new SampleBuffer(settings.name(), boot, settings.samples());
        chunks = new SampleBuffer(settings.name(), boot, MOST_CHUNKS);
        boolean inherits = context.inherited().get(LINES) instanceof String;
        if (inherits) {
            samples.load((String) context.inherited().get(LINES));
        }
        waiting = new WaitingStore(context.store(), samples, failure -> context.logger().warn("samples that wait are in memory alone: {}", failure.getMessage()));
        waiting.load(inherits);
        if (context.inherited().get(CHUNKS) instanceof String lines) {
            chunks.load(lines);
        }
        sessions = new Sessions(context, settings, alarms, samples);
        uplink = new Uplink(context, context.server("observatory"), settings, alarms, samples, chunks, sessions::plan);
        slots = new Slots(context, alarms, sessions, samples, uplink::report);
        current = context.partner(TYPE, FlowSink.class);
        streams = new StreamReports(settings, sessions::className, samples);
        series = new SeriesRecorder(settings, chunks);
        register(context.metrics());
        if (settings.streams() || settings.series() > 0) {
            context.tcp().follow(settings.series() > 0 ? TcpStreams.SHORTEST : STREAMS, report -> alarms.alone(() -> told(report)));
        }
        alarms.alone(() -> {
            uplink.start(slots);
            sessions.step();
            keep();
        });
    }

    private void register(Metrics metrics) {
        counter(metrics, "samples", "Samples that were made.", samples::made);
        counter(metrics, "samples_acknowledged", "Samples that the observatory has.", samples::acknowledged);
        counter(metrics, "samples_dropped", "Samples that were given up, because more waited than may.", samples::dropped);
        counter(metrics, "runs", "Runs with probes that are done.", sessions::done);
        counter(metrics, "runs_failed", "Runs with probes that failed.", sessions::failed);
        counter(metrics, "flows_sent", "Runs with flows that are done.", slots::sent);
        counter(metrics, "flows_failed", "Runs with flows that failed.", slots::failed);
        counter(metrics, "flows_received", "Connections of flows that were taken.", slots.receivedFlows()::sum);
        counter(metrics, "flow_octets_received", "Octets of these.", slots.receivedOctets()::sum);
        counter(metrics, "flows_refused", "Connections that showed no token of a run.", slots.refusals()::sum);
        counter(metrics, "streams_left_out", "Streams that were not told of, because there were too many.", streams::leftOut);
        metrics.gauge("samples_waiting", "Samples that the observatory has not acknowledged.", () -> alarms.look(samples::waiting));
        metrics.gauge("sessions", "Sessions in the plan.", () -> alarms.look(sessions::count));
        counter(metrics, "series_dropped", "Minutes of connections that were given up, because more waited than may.", chunks::dropped);
        metrics.gauge("series_recorded", "Streams whose TCP state is recorded.", () -> alarms.look(series::recorded));
        metrics.gauge("streams_watched", "Streams of the node that are open.", () -> alarms.look(streams::watched));
        metrics.gauge("plan_version", "Of the plan that is followed; 0 for none.", () -> alarms.look(sessions::version));
    }

    private void counter(Metrics metrics, String name, String help, LongSupplier value) {
        metrics.counter(name, help, () -> alarms.look(value::getAsLong));
    }

    private void keep() {
        if (!rests) {
            waiting.step();
        }
        alarms.after(WaitingStore.PERIOD, this::keep);
    }

    private void told(Report report) {
        // Its successor tells what there is to tell.
        if (rests) {
            return;
        }
        long now = service.nanoTime();
        if (settings.streams()) {
            streams.take(report, now, System.currentTimeMillis());
        }
        if (settings.series() > 0) {
            series.take(report, now, System.currentTimeMillis());
        }
    }

    /** A flow between two others passes. */
    @Override
    public StreamHandler open(StreamContext stream) {
        return (packet, out) -> Verdict.PASS;
    }

    @Override
    public StreamHandler openSink(StreamContext stream) {
        return new FlowReceiver(stream, slots);
    }

    @Override
    public Map<String, Object> inspect(String what, Map<String, String> parameters) {
        if (!what.equals(STATE)) {
            throw new AnepException(ErrorCode.NOT_FOUND, "theodolite shows '" + STATE + "' and not '" + what + "'");
        }
        return alarms.look(() -> {
            Map<String, Object> state = new LinkedHashMap<>();
            state.put("name", settings.name());
            String problem = uplink.problem();
            state.put("observatory", problem == null ? "answers" : problem);
            Map<String, Object> counts = samples.report();
            counts.put("onDisk", waiting.lines());
            state.put("samples", counts);
            state.put("plan", sessions.report());
            state.put("flows", slots.report());
            return state;
        });
    }

    /** Its successor measures in its place; flows that have begun go on. */
    @Override
    public Map<String, Object> handOver() {
        return alarms.look(() -> {
            rest(true);
            alarms.after(LOOK, this::look);
            series.close();
            return Map.of(LINES, samples.save(), CHUNKS, chunks.save());
        });
    }

    /** A successor that has failed is gone, and this one is asked again. */
    private void look() {
        if (service.version().equals(current.version())) {
            rest(false);
        } else {
            alarms.after(LOOK, this::look);
        }
    }

    private void rest(boolean rest) {
        rests = rest;
        sessions.rest(rest);
        slots.rest(rest);
        uplink.rest(rest);
    }
}
