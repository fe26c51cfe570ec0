package org.tamanoir.services.theodolite;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.tamanoir.paths.plan.Measurement;
import org.tamanoir.paths.wire.BookedRun;
import org.tamanoir.paths.wire.Peer;
import org.tamanoir.paths.wire.PlannedSession;
import org.tamanoir.paths.wire.SampleValue;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.flow.Flows.Connection;
import org.tamanoir.service.flow.Flows.Flow;
import org.tamanoir.service.flow.Flows.Result;

/** Runs that the observatory has booked: this end sends a flow, or takes one that shows the token of its run, and no other. */
final class Slots {
    private static final int MOST_REMEMBERED = 1000;
    private static final Duration AFTER = Duration.ofSeconds(60);

    /** Who is told how a run has ended. */
    interface Ended {
        /** @param why it failed; null if it is done */
        void report(long number, String why);
    }

    private record Slot(long until, AtomicInteger left) {
    }

    private final ServiceContext service;
    private final Alarms alarms;
    private final Sessions sessions;
    private final SampleBuffer samples;
    private final Ended ended;
    /** By token; asked on the loops of streams. */
    private final Map<String, Slot> receiving = new ConcurrentHashMap<>();
    private final Set<Long> begun = new HashSet<>();
    private final Deque<Long> oldest = new ArrayDeque<>();
    private final LongAdder receivedFlows = new LongAdder();
    private final LongAdder receivedOctets = new LongAdder();
    private final LongAdder refusals = new LongAdder();
    private boolean rests;
    private long sent;
    private long failed;

    Slots(ServiceContext service, Alarms alarms, Sessions sessions, SampleBuffer samples, Ended ended) {
        this.service = service;
        this.alarms = alarms;
        this.sessions = sessions;
        this.samples = samples;
        this.ended = ended;
    }

    void rest(boolean rest) {
        rests = rest;
    }

    /** The runs that are under way, as the observatory says; each is begun once. */
    void runs(List<BookedRun> runs) {
        receiving.keySet().retainAll(runs.stream().map(BookedRun::token).collect(Collectors.toSet()));
        for (BookedRun run : runs) {
            if (!run.isSender()) {
                receiving.computeIfAbsent(run.token(), token -> new Slot(service.nanoTime() + run.length().plus(AFTER).toNanos(), new AtomicInteger(run.streams())));
            } else if (!rests && begun.add(run.number())) {
                oldest.add(run.number());
                if (oldest.size() > MOST_REMEMBERED) {
                    begun.remove(oldest.poll());
                }
                begin(run);
            }
        }
    }

    /** Whether a connection that shows this token may come in: as many as the run has streams. Any thread. */
    boolean takes(String token) {
        Slot slot = receiving.get(token);
        return slot != null && slot.until - service.nanoTime() > 0 && slot.left.getAndDecrement() > 0;
    }

    /** A flow has come in. Any thread. */
    void received(long octets) {
        receivedFlows.increment();
        receivedOctets.add(octets);
    }

    /** A connection without a run was not let in. Any thread. */
    void refused() {
        refusals.increment();
    }

    private void begin(BookedRun run) {
        PlannedSession planned = sessions.find(run.session());
        if (planned != null && !planned.test().kind().isExpensive()) {
            sessions.ask(planned, (isDone, why) -> ended.report(run.number(), why));
            return;
        }
        InetSocketAddress to = PeerAddress.of(run.peer().anep(), Peer.ANEP_PORT);
        String why = to == null ? "its peer " + run.peer().anep() + " has no address" : null;
        try {
            Flow flow = to == null ? null : new Flow(to, run.codePoint(), run.streams(), run.length(), run.token().getBytes(StandardCharsets.US_ASCII));
            if (flow != null && !service.flows().send(flow, result -> alarms.alone(() -> over(run, result)))) {
                why = "the node can send no more flows now";
            }
        } catch (IllegalArgumentException e) {
            why = e.getMessage();
        }
        if (why != null) {
            fail(run, why);
        }
    }

    private void fail(BookedRun run, String why) {
        failed++;
        service.logger().warn("run {} of {} fails: {}", run.number(), run.session(), why);
        ended.report(run.number(), why);
    }

    private void over(BookedRun run, Result result) {
        Map<String, Double> values = new LinkedHashMap<>();
        long octets = 0;
        double seconds = 0;
        double steady = 0;
        long again = 0;
        for (Connection each : result.connections()) {
            FlowReport report = each.failure() == null ? FlowReport.decode(each.answer()) : null;
            if (report == null) {
                fail(run, each.failure() != null ? each.failure().getMessage() : "the other end says what cannot be");
                return;
            }
            octets += report.octets();
            seconds = Math.max(seconds, report.nanos() / 1e9);
            steady += report.steadyMbits();
            again = again < 0 || each.retransmissions() < 0 ? -1 : again + each.retransmissions();
        }
        Findings.put(values, SampleValue.OCTETS, octets);
        Findings.put(values, SampleValue.SECONDS, seconds);
        Findings.put(values, SampleValue.MBITS, octets * 8 / seconds / 1e6);
        Findings.put(values, SampleValue.STEADY_MBITS, steady);
        Findings.put(values, SampleValue.STREAMS, result.connections().size());
        Findings.put(values, SampleValue.RETRANSMISSIONS, again < 0 ? Double.NaN : again);
        samples.add(run.session(), Measurement.Kind.THROUGHPUT, System.currentTimeMillis(), values);
        sent++;
        ended.report(run.number(), null);
    }

    long sent() {
        return sent;
    }

    long failed() {
        return failed;
    }

    LongAdder receivedFlows() {
        return receivedFlows;
    }

    LongAdder receivedOctets() {
        return receivedOctets;
    }

    LongAdder refusals() {
        return refusals;
    }

    Map<String, Object> report() {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("sent", sent);
        report.put("failed", failed);
        report.put("received", receivedFlows.sum());
        report.put("refused", refusals.sum());
        report.put("expected", receiving.size());
        return report;
    }
}
