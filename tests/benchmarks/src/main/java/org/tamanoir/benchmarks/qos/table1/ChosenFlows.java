package org.tamanoir.benchmarks.qos.table1;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.qos.edge.EdgeLab;
import org.tamanoir.benchmarks.qos.edge.OpenSession;
import org.tamanoir.benchmarks.qos.edge.SessionTrips;
import org.tamanoir.benchmarks.qos.edge.SessionTrips.Trip;
import org.tamanoir.benchmarks.qos.table1.Table1Outcome.Cell;
import org.tamanoir.benchmarks.qos.table1.Table1Outcome.How;
import org.tamanoir.benchmarks.qos.table1.Table1Outcome.What;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.lab.FlowReceiver;
import org.tamanoir.lab.FlowReceiver.FlowReport;
import org.tamanoir.lab.Flows;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;

/**
 * Three flows that have said what they need, all at once, through both nodes: datagrams that the receiver sends back asked for little delay, a stream
 * for throughput, datagrams for few losses.
 */
final class ChosenFlows {
    private static final Duration INTERVAL = Duration.ofMillis(10);
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    /** Of the link: what the stream and the datagrams send. */
    private static final double TCP_PART = 0.20;
    private static final double UDP_PART = 0.12;
    /** Until a change has gone through all queues, and a stream that was starved has waited for its last retransmission. */
    private static final long SETTLED_MILLIS = 8000;
    /** Headers of a packet are at most so much of it. */
    private static final double HEADERS = 1.15;
    /** How long the flows live at most. */
    private static final int LIFE_SECONDS = 240;
    private static final double FLOOD_SECONDS = 120;
    private static final String BEST_EFFORT = "BE";

    private final EdgeLab lab;
    private final long rate;
    private final double seconds;
    private final Measurements measured;
    private final Table1Outcome outcome;
    private final Map<What, OpenSession> sessions = new EnumMap<>(What.class);
    private long begin;

    /** @param outcome told which class each flow was in */
    ChosenFlows(EdgeLab lab, long rate, double seconds, Measurements measured, Table1Outcome outcome) {
        this.lab = lab;
        this.rate = rate;
        this.seconds = seconds;
        this.measured = measured;
        this.outcome = outcome;
    }

    void measure() {
        measured.doing("opening sessions");
        sessions.put(What.RTT, lab.open(FlowReceiver.ECHO_PORT, true, "maxDelayMs=10,traffic=100000"));
        sessions.put(What.TCP, lab.open(FlowReceiver.PORT, false, String.format(Locale.ROOT, "minRateMbps=%.3f", TCP_PART * rate / Table1.MEGA)));
        sessions.put(What.UDP, lab.open(FlowReceiver.PORT, true, String.format(Locale.ROOT, "maxLossPct=1,traffic=%.0f", HEADERS * UDP_PART * rate / 8)));
        lab.receiver().begin();
        begin = System.nanoTime();
        try (SessionTrips trips = lab.trips(sessions.get(What.RTT), INTERVAL); LabProcess tcp = send(What.TCP, TCP_PART * rate, "--raw --packet-size 8000");
                LabProcess udp = send(What.UDP, UDP_PART * rate, "--raw --packet-size 1400")) {
            sessions.values().forEach(lab::awaitMeasured);
            measure(trips, false);
            Flows.Flow flood = lab.flood(FLOOD_SECONDS);
            sessions.values().forEach(session -> session.awaitOtherThan(BEST_EFFORT, PATIENCE));
            measure(trips, true);
            flood.end();
            if (!tcp.isAlive() || !udp.isAlive()) {
                throw new LabException("a sender has ended: " + tcp.errors() + udp.errors());
            }
        }
    }

    private LabProcess send(What what, double bits, String options) {
        measured.add(offered(what), bits / Table1.MEGA);
        return sessions.get(what).send(lab.folder(), bits, LIFE_SECONDS, options);
    }

    /** What a flow is to send, Mbit/s: if it has less on the empty path, the machine was too busy to send it. */
    private static Samples.Key offered(What what) {
        return new Cell(what, How.QOSINUS, false).key("offered", "Mbit/s");
    }

    private void measure(SessionTrips trips, boolean congested) {
        measured.doing("flows with a session, " + (congested ? "congested" : "empty"));
        Pause.millis(SETTLED_MILLIS);
        Datagrams first = datagrams();
        long from = System.nanoTime();
        Pause.millis((long) (1000 * seconds));
        long to = System.nanoTime();
        Datagrams last = datagrams();
        // The answers to the last ones may still be on their way.
        Pause.millis(1000);
        List<Double> times = trips.between(from, to).stream().map(Trip::millis).toList();
        if (times.isEmpty() || last.sent == first.sent) {
            throw new LabException("the flows with a session have sent nothing");
        }
        Cell rtt = new Cell(What.RTT, How.QOSINUS, congested);
        measured.add(rtt.key(), Samples.median(times));
        measured.add(rtt.key("lost-" + rtt.condition(), "ratio"), times.stream().filter(time -> Double.isInfinite(time)).count() / (double) times.size());
        FlowReport report = lab.receiver().report();
        measured.add(new Cell(What.TCP, How.QOSINUS, congested).key(), rate(report, true, from, to) / Table1.MEGA);
        measured.add(new Cell(What.UDP, How.QOSINUS, congested).key(), rate(report, false, from, to) / Table1.MEGA);
        measured.add(Table1Outcome.arrived(congested), (last.arrived - first.arrived) / (double) (last.sent - first.sent));
        sessions.forEach((what, session) -> outcome.addClass(what, congested, session.shown().path("class").asText()));
    }

    /** Datagrams so far: those that the first node has passed on, and those that the receiver has. */
    private record Datagrams(long sent, long arrived) {
    }

    private Datagrams datagrams() {
        long sent = sessions.get(What.UDP).shown().path("counted").path("packets").asLong();
        return new Datagrams(sent, lab.receiver().report().counts().stream().filter(count -> !count.stream()).mapToLong(FlowReport.Count::packets).sum());
    }

    /** Bits a second of what came in whatever class. */
    private double rate(FlowReport report, boolean stream, long from, long to) {
        return report.counts().stream().filter(count -> count.stream() == stream).mapToInt(FlowReport.Count::codePoint).distinct()
                .mapToDouble(codePoint -> report.rate(stream, codePoint, (from - begin) / 1e9, (to - begin) / 1e9)).sum();
    }
}
