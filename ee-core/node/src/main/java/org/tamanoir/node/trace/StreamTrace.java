package org.tamanoir.node.trace;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.TraceContext;

/**
 * What is recorded of one stream on this node: a span, one below it for each step that the stream has waited for, and when the first octet came back. On the
 * loop of the stream.
 */
public final class StreamTrace {
    /** While the access policy is asked, by a token as a rule. */
    public static final String WAIT_FOR_PERMIT = "wait for permit";
    /** While services are got; {@link #SOURCES} says from where. */
    public static final String WAIT_FOR_SERVICE = "wait for service";
    /** While the connection to the next hop is made, to another one where the first cannot be reached. */
    public static final String CONNECT = "connect";
    /** Where the services came from that were waited for: {@code store}, {@code node HOST:PORT}, {@code pushed} or the URL of a repository. */
    public static final String SOURCES = "tamanoir.service.sources";
    static final String STREAM = "stream";
    static final String FIRST_BACK = "first octet back";
    /** The semantic conventions of OpenTelemetry have this name. */
    private static final String ERROR = "error.type";

    private final Traces traces;
    private final long traceHigh;
    private final long traceLow;
    private final long parent;
    private final int flags;
    private final long id = Traces.newId();
    private final long began = System.nanoTime();
    private final long beganEpoch;
    private final List<FinishedSpan> spans = new ArrayList<>();
    private final Map<String, Long> events = new LinkedHashMap<>();
    /** The step that it waits for; null for none. */
    private String step;
    private long stepBegan;

    /** @param given the trace that it belongs to; null if it begins one */
    StreamTrace(Traces traces, TraceContext given, long nowEpochNanos) {
        this.traces = traces;
        this.beganEpoch = nowEpochNanos;
        this.traceHigh = given == null ? Traces.newId() : given.traceHigh();
        this.traceLow = given == null ? Traces.newId() : given.traceLow();
        this.parent = given == null ? 0 : given.parent();
        this.flags = given == null ? 0 : given.flags();
    }

    /** What the next hop is told: its span is one below this one. */
    public TraceContext onward() {
        return new TraceContext(traceHigh, traceLow, id, flags | TraceContext.SAMPLED);
    }

    /** It waits for something; what it has waited for before is there. */
    public void begins(String newStep) {
        done(Map.of());
        step = newStep;
        stepBegan = System.nanoTime();
    }

    /** What it has waited for is there; nothing happens if it did not wait. */
    public void done(Map<String, Object> attributes) {
        if (step != null) {
            close(attributes, null);
        }
    }

    private void close(Map<String, Object> attributes, String error) {
        spans.add(new FinishedSpan(traceHigh, traceLow, Traces.newId(), id, true, step, epoch(stepBegan), epoch(System.nanoTime()), attributes, Map.of(), error));
        step = null;
    }

    /** Something has come back to the source. Costs nothing after the first time. */
    public void cameBack() {
        if (events.isEmpty()) {
            events.put(FIRST_BACK, epoch(System.nanoTime()));
        }
    }

    /** The stream is over: what was recorded leaves. */
    public void ended(StreamSummary last) {
        Map<String, Object> attributes = new LinkedHashMap<>();
        put(attributes, "network.transport", last.transport());
        put(attributes, "tamanoir.stream.number", last.number());
        put(attributes, "tamanoir.stream.id", last.id());
        put(attributes, "tamanoir.position", last.position());
        put(attributes, "tamanoir.source", last.source());
        put(attributes, "tamanoir.destination", last.destination());
        put(attributes, "tamanoir.next_hop", last.nextHop());
        put(attributes, "tamanoir.services", last.services());
        put(attributes, "tamanoir.pool", last.pool());
        put(attributes, "tamanoir.octets.in", last.in());
        put(attributes, "tamanoir.octets.out", last.out());
        put(attributes, "tamanoir.octets.back", last.back());
        put(attributes, "tamanoir.octets.returned", last.returned());
        put(attributes, ERROR, last.code() == null ? null : last.code().toString());
        if (step != null) {
            close(last.code() == null ? Map.of() : Map.of(ERROR, last.code().toString()), last.reason());
        }
        spans.add(new FinishedSpan(traceHigh, traceLow, id, parent, false, STREAM, beganEpoch, epoch(System.nanoTime()), attributes, events, last.reason()));
        traces.add(spans);
    }

    private static void put(Map<String, Object> attributes, String key, Object value) {
        if (value != null) {
            attributes.put(key, value);
        }
    }

    private long epoch(long nanos) {
        return beganEpoch + nanos - began;
    }
}
