package org.tamanoir.services.qosmonitoring;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.probe.Probes.Answers;
import org.tamanoir.service.probe.Probes.Answers.Answer;
import org.tamanoir.service.qos.ClassSample;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.Segment;

/** A monitor with a virtual clock, and paths that answer its trains as a STAMP reflector does. */
final class Simulation {
    /** When the wall clock began; a time of day as the node reads it. */
    private static final long SINCE_1970 = 1_790_000_000_000_000_000L;
    private static final long SECOND = 1_000_000_000L;

    private record Event(long at, long number, Runnable what) {
    }

    /** Octets that were ordered at a time. */
    record Spent(long at, long octets, ProbeOrder order) {
    }

    private final PriorityQueue<Event> events = new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::number));
    private final Map<String, VirtualPath> paths = new HashMap<>();
    private final Map<Segment, List<QosClass>> watched = new HashMap<>();
    final List<Spent> spent = new ArrayList<>();
    final Monitor monitor;
    /** What the wall clock here is ahead of what it would be. */
    long clockOffset;
    long now;
    private long events0;

    Simulation(Map<String, ?> options) {
        monitor = new Monitor(settings(options), 0);
        at(0, this::step);
    }

    static MonitoringSettings settings(Map<String, ?> options) {
        return MonitoringSettings.of(new MapConfiguration("qos-monitoring", options));
    }

    static Segment segment(int number) {
        try {
            byte[] address = {10, 1, (byte) (number >> 8), (byte) number};
            return new Segment("node" + number, new InetSocketAddress(InetAddress.getByAddress(address), 862));
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    static QosClass qosClass(String name, int dscp) {
        return new QosClass(name, 1, null, 0, dscp, dscp, dscp);
    }

    /** Watches a class on a segment from now on, every second. */
    void watch(Segment segment, QosClass qosClass, VirtualPath path) {
        paths.put(key(segment, qosClass.green()), path);
        watched.computeIfAbsent(segment, key -> new ArrayList<>()).add(qosClass);
        monitor.watch(segment, watched.get(segment), now);
    }

    private static String key(Segment segment, int dscp) {
        return segment.reflector() + " " + dscp;
    }

    void at(long when, Runnable what) {
        events.add(new Event(when, events0++, what));
    }

    void run(Duration time) {
        long until = now + time.toNanos();
        while (!events.isEmpty() && events.peek().at <= until) {
            Event event = events.poll();
            now = event.at;
            event.what.run();
        }
        now = until;
    }

    ClassSample sample(Segment segment, String name) {
        return monitor.samples(segment, now).get(name);
    }

    private void step() {
        if (now % SECOND == 0) {
            watched.forEach((segment, classes) -> monitor.watch(segment, classes, now));
        }
        for (ProbeOrder order : monitor.due(now)) {
            spent.add(new Spent(now, order.octets(), order));
            send(order);
        }
        at(now + monitor.step().toNanos(), this::step);
    }

    private void send(ProbeOrder order) {
        VirtualPath path = paths.get(order.train.to() == null ? "" : key(order.segment.segment, order.train.dscp()));
        List<Answer> answers = new ArrayList<>();
        long step = Math.max(order.train.gap().toNanos(), (long) (order.train.octets() / path.line * SECOND));
        int packets = order.train.packets();
        for (int i = 0; i < packets; i++) {
            int number = i;
            at(now + i * step, () -> {
                long sent = now;
                long wall = SINCE_1970 + clockOffset + sent;
                long arrives = path.send(sent, order.train.octets());
                if (arrives >= 0) {
                    long here = arrives + path.oneWay;
                    at(here, () -> {
                        long reflected = SINCE_1970 + arrives + path.offset;
                        answers.add(new Answer(number, wall, reflected, reflected, SINCE_1970 + clockOffset + now, path.synchronised, path.error,
                                path.arrivesAs == -1 ? order.train.dscp() : path.arrivesAs, 64));
                        if (answers.size() == packets) {
                            tell(order, answers);
                        }
                    });
                }
            });
        }
        at(now + (packets - 1) * step + order.train.patience().toNanos(), () -> {
            if (answers.size() < packets) {
                tell(order, answers);
            }
        });
    }

    private void tell(ProbeOrder order, List<Answer> answers) {
        List<Answer> sorted = new ArrayList<>(answers);
        sorted.sort(Comparator.comparingInt(Answer::number));
        monitor.answered(order, new Answers(order.train, order.train.packets(), sorted), now);
    }
}
