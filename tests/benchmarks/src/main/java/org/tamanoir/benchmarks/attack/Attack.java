package org.tamanoir.benchmarks.attack;

import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.tamanoir.benchmarks.process.Build;
import org.tamanoir.benchmarks.process.Descriptors;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;

/** What can be done to a node. */
public enum Attack {
    /** Streams whose receivers do not read, and whose senders go on sending. */
    STALLED_STREAMS(4096, 30, 10, taking(2 * 4096), ManyStreams::stall),
    /** Connections, each in the middle of a packet of which an octet comes each 200 ms. */
    PARTIAL_PACKETS(2100, 30, 8, preset(), ManyStreams::sendInParts),
    /** UDP streams that want through a link of 1 Mbit/s. Needs root. */
    SLOW_LINK(25, 30, 8, preset(), ManyStreams::overfill),
    /** A heavy service that makes ten packets of 8 KB of one of 64 octets, for receivers that do not read. */
    HEAVY_SERVICE(16, 20, 8, preset(), ManyStreams::multiply),
    /** Streams that are open and silent, or as many as this machine lets a process open: it needs two descriptors for each, as a node does. */
    IDLE_STREAMS(Descriptors.pairs(10_000), 3, 3, taking(2 * 10_000), ManyStreams::stayIdle),
    /** UDP streams of four addresses, kept alive by 200 datagrams a second, while others open TCP streams. */
    STRANGER(4096, 0, 0, preset(), ManyStreams::intrude),
    /** A node that stands still under downloads, and then another one. */
    STOPPED_NODE(8, 60, 15, preset(), StoppedNode::stop),
    /** Connections that begin TLS and say no more, beside an open stream. Those of the phase before may not be forgotten yet. */
    HALF_OPEN_HANDSHAKES(1000, 5, 2, victim -> taking(4 * 1000).of(victim) + victim.certificates(), Disturbance::beginHandshakes),
    /** Streams whose tokens are no good, in all rounds together, beside an open stream. */
    REFUSED_TOKENS(10_000, 5, 2, Disturbance::policy, Disturbance::showTokens);

    private final int streams;
    private final int length;
    private final int quickLength;
    private final Victim.Configuration configuration;
    private final Course course;

    /** @param streams or connections at once @param length seconds; of a disturbance rounds @param configuration with limits that let it in */
    Attack(int streams, int length, int quickLength, Victim.Configuration configuration, Course course) {
        this.streams = streams;
        this.length = length;
        this.quickLength = quickLength;
        this.configuration = configuration;
        this.course = course;
    }

    private static Victim.Configuration preset() {
        return victim -> "";
    }

    /** @param streams how many a node takes, of one source too */
    private static Victim.Configuration taking(int streams) {
        return victim -> "limits:\n  streams: " + streams + "\n  streams-per-source: " + streams + "\n";
    }

    int streams() {
        return streams;
    }

    Victim victim(Build build) {
        return new Victim(build, this == SLOW_LINK ? "1mbit" : null, configuration);
    }

    /** Whether it measures the delay of an open stream, and not the rate of a busy one. */
    boolean isDisturbance() {
        return this == HALF_OPEN_HANDSHAKES || this == REFUSED_TOKENS;
    }

    /** Whether somebody else's stream goes through the node at the same time: it would stand still with a stopped one. */
    boolean hasBystander() {
        return !isDisturbance() && this != STOPPED_NODE;
    }

    /** As options and results name it: {@code slow-link}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** How it goes. */
    private interface Course {
        void take(Run run) throws Exception;
    }

    /** One attack on one node. @param quick a shorter one */
    record Run(Attack attack, Victim victim, boolean quick, Measurements measurements) {
        /** Attacks, and returns when it is over; memory is looked at until then. @throws Exception if it cannot be: then there is no figure */
        void take() throws Exception {
            attack.course.take(this);
        }

        int streams() {
            return attack.streams;
        }

        int length() {
            return quick ? attack.quickLength : attack.length;
        }

        long nanos() {
            return TimeUnit.SECONDS.toNanos(length());
        }

        void found(String metric, String unit, double value) {
            measurements.add(new Key(attack.toString(), victim.build.name(), 0, attack.streams, metric, unit), value);
        }
    }

    /** Waits for a moment of {@link System#nanoTime()}; returns at once if it is over. */
    static void until(long nanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(Math.max(0, nanos - System.nanoTime()));
    }

    /** Starts something that ends with an {@link IOException} when a socket is closed at either end. */
    static Thread start(String name, Measurements.Step task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (IOException | InterruptedException e) {
                // It was told to end.
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
