package org.tamanoir.benchmarks.qos.table1;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.qos.edge.EdgeLab;
import org.tamanoir.benchmarks.qos.edge.OpenSession;
import org.tamanoir.benchmarks.qos.edge.SessionTrips;
import org.tamanoir.benchmarks.qos.edge.SessionTrips.Trip;
import org.tamanoir.benchmarks.qos.table1.Cell.How;
import org.tamanoir.benchmarks.qos.table1.Cell.What;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.lab.FlowReceiver;
import org.tamanoir.lab.FlowReport;
import org.tamanoir.lab.Flows;
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
    private static final double MEGA = 1e6;
    private static final int UDP_PACKET = 1400;
    /** Headers of a packet are at most so much of it. */
    private static final double HEADERS = 1.15;
    /** How long the flows live at most; a file of holes is that long. */
    private static final int LIFE_SECONDS = 240;
    private static final double FLOOD_SECONDS = 120;
    private static final String BEST_EFFORT = "BE";

    private final EdgeLab lab;
    private final long rate;
    private final double seconds;
    private final Samples samples;
    private final Map<String, String> classes;
    private final Map<What, OpenSession> sessions = new EnumMap<>(What.class);
    private final List<LabProcess> senders = new ArrayList<>();
    private long begin;

    /** @param classes told which class each flow was in */
    ChosenFlows(EdgeLab lab, long rate, double seconds, Samples samples, Map<String, String> classes) {
        this.lab = lab;
        this.rate = rate;
        this.seconds = seconds;
        this.samples = samples;
        this.classes = classes;
    }

    void measure(Consumer<String> progress) {
        progress.accept("opening sessions");
        sessions.put(What.RTT, lab.open(FlowReceiver.ECHO_PORT, true, "maxDelayMs=10,traffic=100000"));
        sessions.put(What.TCP, lab.open(FlowReceiver.PORT, false, String.format(Locale.ROOT, "minRateMbps=%.3f", TCP_PART * rate / MEGA)));
        sessions.put(What.UDP, lab.open(FlowReceiver.PORT, true, String.format(Locale.ROOT, "maxLossPct=1,traffic=%.0f", HEADERS * UDP_PART * rate / 8)));
        lab.receiver().begin();
        begin = System.nanoTime();
        try (SessionTrips trips = SessionTrips.start(lab.testbed().sender(1), lab.via(), lab.to(FlowReceiver.ECHO_PORT), sessions.get(What.RTT).code(),
                INTERVAL)) {
            send(What.TCP, TCP_PART * rate, 8000);
            send(What.UDP, UDP_PART * rate, UDP_PACKET, "--udp");
            for (OpenSession session : sessions.values()) {
                lab.awaitMeasured(session);
            }
            measure(trips, false, progress);
            Flows.Flow flood = lab.flood(FLOOD_SECONDS);
            for (OpenSession session : sessions.values()) {
                session.awaitOtherThan(BEST_EFFORT, PATIENCE);
            }
            measure(trips, true, progress);
            flood.end();
        } finally {
            senders.forEach(LabProcess::end);
        }
    }

    private void send(What what, double bits, int packet, String... more) {
        Path file = lab.folder().resolve(what.name());
        try (RandomAccessFile holes = new RandomAccessFile(file.toFile(), "rw")) {
            holes.setLength((long) (bits / 8 * LIFE_SECONDS));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List<String> arguments = new ArrayList<>(List.of("send", "--via", text(lab.via()), "--to", text(lab.to(FlowReceiver.PORT)), "--raw", "--session",
                sessions.get(what).name(), "--packet-size", Integer.toString(packet), "--rate", Long.toString((long) bits)));
        arguments.addAll(List.of(more));
        arguments.add(file.toString());
        senders.add(lab.start("send", arguments.toArray(String[]::new)));
        samples.add(offered(what), bits / MEGA);
    }

    /** What a flow is to send, Mbit/s: if it has less on the empty path, the machine was too busy to send it. */
    static Samples.Key offered(What what) {
        return new Samples.Key("table1-" + what.name().toLowerCase(Locale.ROOT), "tamanoir-qosinus", 0, 1, "offered", "Mbit/s");
    }

    private static String text(java.net.InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    private void measure(SessionTrips trips, boolean congested, Consumer<String> progress) {
        progress.accept("flows with a session, " + (congested ? "congested" : "empty"));
        Pause.millis(SETTLED_MILLIS);
        Datagrams first = datagrams();
        long from = System.nanoTime();
        Pause.millis((long) (1000 * seconds));
        long to = System.nanoTime();
        Datagrams last = datagrams();
        // The answers to the last ones may still be on their way.
        Pause.millis(1000);
        List<Double> times = trips.between(from, to).stream().map(Trip::millis).toList();
        samples.add(new Cell(What.RTT, How.QOSINUS, congested).key(), Samples.median(times));
        samples.add(lost(congested), times.stream().filter(time -> Double.isInfinite(time)).count() / (double) times.size());
        FlowReport report = lab.receiver().report();
        samples.add(new Cell(What.TCP, How.QOSINUS, congested).key(), rate(report, true, from, to) / MEGA);
        samples.add(new Cell(What.UDP, How.QOSINUS, congested).key(), rate(report, false, from, to) / MEGA);
        samples.add(arrived(congested), (last.arrived - first.arrived) / (double) (last.sent - first.sent));
        sessions.forEach((what, session) -> classes.merge(what + (congested ? " congested" : " empty"), session.shown().path("class").asText(),
                (all, one) -> List.of(all.split(", ")).contains(one) ? all : all + ", " + one));
    }

    /** Datagrams so far: those that the first node has passed on, and those that the receiver has. */
    private record Datagrams(long sent, long arrived) {
    }

    private Datagrams datagrams() {
        long sent = sessions.get(What.UDP).shown().path("counted").path("packets").asLong();
        return new Datagrams(sent, lab.receiver().report().counts().stream().filter(count -> !count.stream()).mapToLong(FlowReport.Count::packets).sum());
    }

    /** Of the datagrams that the first node passed on, those that arrived: a sender that the machine is too busy for sends fewer. */
    static Samples.Key arrived(boolean congested) {
        return new Samples.Key("table1-udp", "tamanoir-qosinus", 0, 1, congested ? "arrived-congested" : "arrived-empty", "ratio");
    }

    static Samples.Key lost(boolean congested) {
        return new Samples.Key("table1-rtt", "tamanoir-qosinus", 0, 1, congested ? "lost-congested" : "lost-empty", "ratio");
    }

    /** Bits a second of what came in whatever class. */
    private double rate(FlowReport report, boolean stream, long from, long to) {
        return report.counts().stream().filter(count -> count.stream() == stream).mapToInt(FlowReport.Count::codePoint).distinct()
                .mapToDouble(codePoint -> report.rate(stream, codePoint, (from - begin) / 1e9, (to - begin) / 1e9)).sum();
    }
}
